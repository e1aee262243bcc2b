import { AppError } from '../base/app-error.ts'
import { PreviewKind, ThingIdent, ThingModel, type ThingSummary } from '../contract/thing.ts'
import type { RpcClient } from '../server/rpc/rpc-client.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions, wholeNumber } from './options.ts'
import { readText } from './read-all.ts'
import { withServer } from './server-access.ts'

const help = `Usage: roost things list
       roost things show NAME
       roost things export NAME [--as ${PreviewKind.options.join('|')}]
       roost things import NAME FILE
       roost things roll-back NAME --to N [--note TEXT]

The Things of a running server, from a shell.

list       all
show       versions, drafts and where they are bound, as JSON
export     the published model as JSON that import reads; --as gives the code or descriptor for a far end,
           and says on standard error what that cannot express
import     a model; "-" is standard input. It becomes a draft
roll-back  version N again, as a new version

  --json             one JSON document
  --data DIR         the running server of this data directory
  --server URL       or this server, with --token-file FILE or ROOST_TOKEN
`

const options = {
  as: { type: 'string' },
  to: { type: 'string' },
  note: { type: 'string' },
  data: { type: 'string' },
  server: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Order {
  readonly words: readonly string[]
  readonly as: string | undefined
  readonly to: string | undefined
  readonly note: string | undefined
  readonly io: CommandIo
}

interface Answer {
  readonly text: string
  readonly data: unknown
  /** For standard error, beside the text. */
  readonly beside?: string
}

type Work = (client: RpcClient) => Promise<Answer>

const actions: Readonly<Record<string, (order: Order) => Work | Promise<Work>>> = {
  list: () => async (client) => {
    const rows = await client.things.list()
    return { text: rows.map(describe).join('') || 'No Things.\n', data: rows }
  },
  show: ({ words }) => {
    const name = onlyName(words)
    return async (client) => plain(await client.things.detail({ name }))
  },
  export: exporting,
  import: importing,
  'roll-back': ({ words, to, note = '' }) => {
    const name = onlyName(words)
    if (to === undefined) throw new AppError('server-bad-usage', '--to says which version comes back')
    const version = wholeNumber('to', to, { min: 1, max: 999_999, fallback: 1 })
    return async (client) => {
      const made = await client.things.rollBack({ name, to: version, note })
      return { text: `Version ${made.version} of ${name} is what version ${version} was.\n`, data: made }
    }
  },
}

export const thingsCommand: Command = {
  name: 'things',
  summary: 'list, show, export and import Things',
  help,
  async run(args, io) {
    const { values, positionals } = readOptions({ args: [...args], options, allowPositionals: true })
    const [action = '', ...words] = positionals
    const begin = Object.hasOwn(actions, action) ? actions[action] : undefined
    if (!begin) throw new AppError('server-bad-usage', `${Object.keys(actions).join(', ')}: one of these is needed`)
    const work = await begin({ words, as: values.as, to: values.to, note: values.note, io })
    const { text, data, beside } = await withServer(values, io, work)
    io.stdout(values.json ? `${JSON.stringify(data)}\n` : text)
    if (beside !== undefined && !values.json) io.stderr(beside)
    return 0
  },
}

const plain = (data: unknown): Answer => ({ text: `${JSON.stringify(data, null, 2)}\n`, data })

function describe(thing: ThingSummary): string {
  const version = thing.published === null ? ' (draft)' : `@${thing.published}`
  const where = thing.bindings === 1 ? 'on 1 device' : `on ${thing.bindings} devices`
  return `${`${thing.name}${version}`.padEnd(36)} ${where.padEnd(14)} ${thing.title.en} · ${thing.title.zh}\n`
}

function exporting({ words, as }: Order): Work {
  const name = onlyName(words)
  const kind = as === undefined ? undefined : PreviewKind.safeParse(as)
  if (kind?.success === false) {
    throw new AppError('server-bad-usage', `--as takes ${PreviewKind.options.join(', ')}`)
  }
  return async (client) => {
    const model = (await client.things.detail({ name })).versions.at(-1)?.model
    if (!model) throw new AppError('thing-unknown', `${name} has no published version`)
    if (!kind) return plain(model)
    const preview = (await client.things.previews({ name, model })).find((one) => one.kind === kind.data)
    if (!preview) throw new AppError('server-internal', `No preview of kind ${kind.data}`)
    const [only] = preview.files
    const files = preview.files.map(({ name: file, text }) => `/* ${file} */\n${text}`)
    return {
      text: preview.files.length === 1 ? (only?.text ?? '') : files.join('\n'),
      data: preview,
      beside: preview.losses.map(({ path, code }) => `${path}: ${code}\n`).join(''),
    }
  }
}

async function importing({ words, io }: Order): Promise<Work> {
  const [name = '', file, ...more] = words
  if (file === undefined || more.length > 0) throw new AppError('server-bad-usage', 'NAME and FILE are needed')
  const model = readModel(await readText(file, io.stdin, 1_000_000))
  onlyName([name])
  return async (client) => {
    const draft = await client.things.openDraft({ name })
    const saved = await client.things.saveDraft({ id: draft.id, revision: draft.revision, model })
    return { text: `${name}: draft saved\n`, data: saved }
  }
}

function readModel(text: string): ThingModel {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (cause) {
    throw new AppError('server-bad-usage', 'The file is no JSON', { cause })
  }
  const read = ThingModel.safeParse(given)
  if (read.success) return read.data
  const { path, message } = read.error.issues[0] ?? { path: [], message: 'it is empty' }
  throw new AppError('server-bad-usage', `The file holds no Thing: ${path.join('/')} ${message}`)
}

function onlyName(words: readonly string[]): string {
  const [name] = words
  if (name === undefined || words.length > 1) throw new AppError('server-bad-usage', 'One NAME is needed')
  if (!ThingIdent.safeParse(name).success) throw new AppError('server-bad-usage', `"${name}" is no name of a Thing`)
  return name
}
