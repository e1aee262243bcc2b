import { AppError } from '../base/app-error.ts'
import type { ToolSummary } from '../contract/tool-registry.ts'
import { ToolName } from '../contract/tool.ts'
import type { RpcClient } from '../server/rpc/rpc-client.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions, wholeNumber } from './options.ts'
import { readText } from './read-all.ts'
import { withServer } from './server-access.ts'

const help = `Usage: roost tools list [TEXT]
       roost tools show NAME
       roost tools export [NAME…]
       roost tools import FILE
       roost tools call NAME [JSON] --device ID
       roost tools roll-back NAME --to N [--note TEXT]
       roost tools enable NAME | disable NAME

The tools of a running server, from a shell.

list       those with TEXT in their name, description or source; all without one
show       versions, drafts, saved cases and use, as JSON
export     the named ones (default: all that are published), as JSON that import reads
import     a tool, a list, an MCP tools/list answer or an OpenAPI 3 document; "-" is standard input.
           Each becomes a draft: nothing is called before a person has published it
call       as a person, outside any turn; exit 1 when it does not end well
roll-back  version N again, as a new version

  --json             one JSON document
  --data DIR         the running server of this data directory
  --server URL       or this server, with --token-file FILE or ROOST_TOKEN
`

const options = {
  device: { type: 'string' },
  to: { type: 'string' },
  note: { type: 'string' },
  data: { type: 'string' },
  server: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Order {
  readonly words: readonly string[]
  readonly device: string | undefined
  readonly to: string | undefined
  readonly note: string | undefined
  readonly json: boolean
  readonly io: CommandIo
}

/** `text` is for a person, `data` for --json. */
interface Answer {
  readonly text: string
  readonly data: unknown
  readonly ok?: boolean
}

type Work = (client: RpcClient) => Promise<Answer>

/** Each says what is wrong with its words before a server is asked. */
const actions: Readonly<Record<string, (order: Order) => Work | Promise<Work>>> = {
  list: ({ words }) => listing(words.join(' ')),
  show: ({ words }) => {
    const name = onlyName(words)
    return async (client) => plain(await client.tools.detail({ name }))
  },
  export: ({ words }) => exporting(words.map(toolName)),
  import: ({ words, io }) => importing(words, io),
  call: calling,
  'roll-back': (order) => {
    const name = onlyName(order.words)
    if (order.to === undefined) throw new AppError('server-bad-usage', '--to says which version comes back')
    const to = wholeNumber('to', order.to, { min: 1, max: 999_999, fallback: 1 })
    return async (client) => {
      const made = await client.tools.rollBack({ name, to, note: order.note ?? '' })
      return { text: `${made.name}@${made.version} is what version ${to} was.\n`, data: made }
    }
  },
  enable: ({ words }) => enabling(onlyName(words), true),
  disable: ({ words }) => enabling(onlyName(words), false),
}

export const toolsCommand: Command = {
  name: 'tools',
  summary: 'list, show, export, import and call tools',
  help,
  async run(args, io) {
    const { values, positionals } = readOptions({ args: [...args], options, allowPositionals: true })
    const [action = '', ...words] = positionals
    const { device, to, note, json = false } = values
    const begin = Object.hasOwn(actions, action) ? actions[action] : undefined
    if (!begin) throw new AppError('server-bad-usage', `${Object.keys(actions).join(', ')}: one of these is needed`)
    const work = await begin({ words, device, to, note, json, io })
    const { text, data, ok = true } = await withServer(values, io, work)
    io.stdout(json ? `${JSON.stringify(data)}\n` : text)
    return ok ? 0 : 1
  },
}

const plain = (data: unknown): Answer => ({ text: `${JSON.stringify(data, null, 2)}\n`, data })

function listing(text: string): Work {
  return async (client) => {
    const rows = await client.tools.catalog(text === '' ? {} : { text })
    return { text: rows.map(describe).join('') || 'No tools.\n', data: rows }
  }
}

function describe(tool: ToolSummary): string {
  const version = tool.published === null ? 'draft' : `@${tool.published}`
  const state = [tool.enabled ? '' : 'disabled', tool.deprecated ? 'deprecated' : '', tool.canary ? 'on trial' : '']
  const words = [tool.origin, tool.danger, ...state].filter((word) => word !== '').join(', ')
  return `${`${tool.name}${version === 'draft' ? ' (draft)' : version}`.padEnd(36)} ${words.padEnd(24)} ${tool.description}\n`
}

function exporting(wanted: readonly string[]): Work {
  return async (client) => {
    const all =
      wanted.length > 0 ? wanted : (await client.tools.catalog({ state: 'published' })).map(({ name }) => name)
    const { text } = await client.tools.exportTools({ names: [...all] })
    return { text: text.endsWith('\n') ? text : `${text}\n`, data: JSON.parse(text) as unknown }
  }
}

async function importing(words: readonly string[], io: CommandIo): Promise<Work> {
  const [file] = words
  if (file === undefined || words.length > 1) throw new AppError('server-bad-usage', 'One FILE is needed')
  const text = await readText(file, io.stdin, 2_000_000)
  return async (client) => {
    const rows: { name: string; draftId: string | null; problem: string | null }[] = []
    for (const { name, content, problem } of await client.tools.readImport({ text })) {
      if (content === null) {
        rows.push({ name, draftId: null, problem })
        continue
      }
      const draft = await client.tools.openDraft({ name })
      await client.tools.saveDraft({ id: draft.id, revision: draft.revision, content })
      rows.push({ name, draftId: draft.id, problem })
    }
    const lines = rows.map(({ name, draftId, problem }) => `${name}: ${draftId ? 'draft saved' : (problem ?? '')}\n`)
    return { text: lines.join(''), data: rows, ok: rows.every(({ draftId }) => draftId !== null) }
  }
}

function calling({ words, device }: Order): Work {
  const [first = '', json = '{}', ...more] = words
  const name = toolName(first)
  if (device === undefined) throw new AppError('server-bad-usage', '--device says whose tool is called')
  if (more.length > 0) throw new AppError('server-bad-usage', 'The arguments are one JSON object, in quotes')
  const given = parsed(json)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new AppError('server-bad-usage', 'The arguments are a JSON object')
  }
  return async (client) => {
    const done = await client.tools.call({ deviceId: device, name, arguments: { ...given } })
    const why = done.errorMessage === undefined ? '' : `  ${done.errorCode ?? ''}: ${done.errorMessage}\n`
    const result = done.result === undefined ? '' : ` ${JSON.stringify(done.result)}`
    return { text: `${done.ref} ${done.outcome}${result}\n${why}`, data: done, ok: done.outcome === 'ok' }
  }
}

function enabling(name: string, enabled: boolean): Work {
  return async (client) => {
    await client.tools.enable({ name, enabled })
    return { text: `${name} is ${enabled ? 'enabled' : 'disabled'}.\n`, data: { name, enabled } }
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new AppError('server-bad-usage', 'The arguments are no JSON', { cause })
  }
}

function onlyName(words: readonly string[]): string {
  if (words.length !== 1) throw new AppError('server-bad-usage', 'One NAME is needed')
  return toolName(words[0] ?? '')
}

function toolName(word: string): string {
  if (!ToolName.safeParse(word).success) throw new AppError('server-bad-usage', `"${word}" is no name of a tool`)
  return word
}
