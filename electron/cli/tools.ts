import { AppError } from '../base/app-error.ts'
import type { ToolSummary } from '../contract/tool-registry.ts'
import { refLabel, ToolName } from '../contract/tool.ts'
import { actionCommand, onlyName, type Order, plain, readJson, versionTo, type Work } from './action-command.ts'
import type { CommandIo } from './command.ts'
import { readText } from './read-all.ts'

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

type Given = 'device' | 'to' | 'note'
const isTool = (word: string) => ToolName.safeParse(word).success

export const toolsCommand = actionCommand<Given>({
  name: 'tools',
  summary: 'list, show, export, import and call tools',
  help,
  options: ['device', 'to', 'note'],
  actions: {
    list: ({ words }) => listing(words.join(' ')),
    show: ({ words }) => {
      const name = onlyName(words, isTool)
      return async (client) => plain(await client.tools.detail({ name }))
    },
    export: ({ words }) => exporting(words.map(toolName)),
    import: ({ words, io }) => importing(words, io),
    call: calling,
    'roll-back': ({ words, given: { to, note = '' } }) => {
      const order = { name: onlyName(words, isTool), to: versionTo(to), note }
      return async (client) => {
        const made = await client.tools.rollBack(order)
        return { text: `${made.name}@${made.version} is what version ${order.to} was.\n`, data: made }
      }
    },
    enable: ({ words }) => enabling(onlyName(words, isTool), true),
    disable: ({ words }) => enabling(onlyName(words, isTool), false),
  },
})

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

function calling({ words, given: { device } }: Order<Given>): Work {
  const [first = '', json = '{}', ...more] = words
  const name = toolName(first)
  if (device === undefined) throw new AppError('server-bad-usage', '--device says whose tool is called')
  if (more.length > 0) throw new AppError('server-bad-usage', 'The arguments are one JSON object, in quotes')
  const values = readJson(json, 'The arguments are')
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new AppError('server-bad-usage', 'The arguments are a JSON object')
  }
  return async (client) => {
    const done = await client.tools.call({ deviceId: device, name, arguments: { ...values } })
    const why = done.errorMessage === undefined ? '' : `  ${done.errorCode ?? ''}: ${done.errorMessage}\n`
    const result = done.result === undefined ? '' : ` ${JSON.stringify(done.result)}`
    return { text: `${refLabel(done.ref)} ${done.outcome}${result}\n${why}`, data: done, ok: done.outcome === 'ok' }
  }
}

function enabling(name: string, enabled: boolean): Work {
  return async (client) => {
    await client.tools.enable({ name, enabled })
    return { text: `${name} is ${enabled ? 'enabled' : 'disabled'}.\n`, data: { name, enabled } }
  }
}

function toolName(word: string): string {
  if (!isTool(word)) throw new AppError('server-bad-usage', `"${word}" is no name of a tool`)
  return word
}
