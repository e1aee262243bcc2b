import { AppError } from '../base/app-error.ts'
import type { RpcClient } from '../server/rpc/rpc-client.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions, wholeNumber } from './options.ts'
import { withServer } from './server-access.ts'

/** `text` is for a person, `data` for --json, `beside` for standard error; without `ok` the command exits with 1. */
export interface Answer {
  readonly text: string
  readonly data: unknown
  readonly beside?: string
  readonly ok?: boolean
}

export type Work = (client: RpcClient) => Promise<Answer>

export interface Order<Option extends string> {
  readonly words: readonly string[]
  readonly given: Readonly<Partial<Record<Option, string>>>
  readonly io: CommandIo
}

/** Says what is wrong with its words before a server is asked. */
type Action<Option extends string> = (order: Order<Option>) => Work | Promise<Work>

interface ActionCommand<Option extends string> extends Pick<Command, 'name' | 'summary' | 'help'> {
  /** Options of its own, each with a text; those that find the server, and --json, are there anyway. */
  readonly options: readonly Option[]
  readonly actions: Readonly<Record<string, Action<Option>>>
}

/** `roost NAME ACTION WORDS…`: one thing asked of a running server. */
export function actionCommand<Option extends string>(its: ActionCommand<Option>): Command {
  const { name, summary, help, actions } = its
  return {
    name,
    summary,
    help,
    async run(args, io) {
      const text = { type: 'string' } as const
      const own = Object.fromEntries(its.options.map((option) => [option, text]))
      const options = { ...own, data: text, server: text, 'token-file': text, json: { type: 'boolean' } } as const
      const { values, positionals } = readOptions({ args: [...args], options, allowPositionals: true })
      const [action = '', ...words] = positionals
      const begin = Object.hasOwn(actions, action) ? actions[action] : undefined
      if (!begin) throw new AppError('server-bad-usage', `${Object.keys(actions).join(', ')}: one of these is needed`)
      const work = await begin({ words, given: values as Order<Option>['given'], io })
      const { text: told, data, beside, ok = true } = await withServer(values, io, work)
      io.stdout(values.json === true ? `${JSON.stringify(data)}\n` : told)
      if (beside !== undefined && values.json !== true) io.stderr(beside)
      return ok ? 0 : 1
    },
  }
}

/** A document as it is, indented for a person. */
export const plain = (data: unknown): Answer => ({ text: `${JSON.stringify(data, null, 2)}\n`, data })

/** The only word, which `isName` takes. */
export function onlyName(words: readonly string[], isName: (word: string) => boolean): string {
  const [word] = words
  if (word === undefined || words.length > 1) throw new AppError('server-bad-usage', 'One NAME is needed')
  if (!isName(word)) throw new AppError('server-bad-usage', `"${word}" is no name of this kind`)
  return word
}

/** The version of `--to`. */
export function versionTo(to: string | undefined): number {
  if (to === undefined) throw new AppError('server-bad-usage', '--to says which version comes back')
  return wholeNumber('to', to, { min: 1, max: 999_999, fallback: 1 })
}

/** JSON that a person gave; `what` names it in the refusal. */
export function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('server-bad-usage', `${what} no JSON`, { cause })
  }
}
