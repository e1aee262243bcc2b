import type { McpServer, McpServerInput } from '../../electron/contract/mcp.ts'

/** What the form of an MCP server holds. A secret of `null` is one that is stored and stays. */
export interface McpForm {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly command: string
  /** One argument a line. */
  readonly args: string
  readonly directory: string
  readonly url: string
  readonly secrets: readonly { readonly name: string; readonly value: string | null }[]
  readonly enabled: boolean
}

export const emptyMcpForm: McpForm = {
  name: '',
  kind: 'stdio',
  command: '',
  args: '',
  directory: '',
  url: '',
  secrets: [],
  enabled: true,
}

export function mcpFormOf(server: McpServer): McpForm {
  const secrets = server.secretNames.map((name) => ({ name, value: null }))
  const shared = { ...emptyMcpForm, name: server.name, kind: server.kind, secrets, enabled: server.enabled }
  if (!server.program) return { ...shared, url: server.where }
  const { command, args, directory } = server.program
  return { ...shared, command, args: args.join('\n'), directory: directory ?? '' }
}

export type McpFault = 'name' | 'command' | 'url' | 'secret'

const isUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** The first thing that the contract would refuse, or null. */
export function mcpFault(form: McpForm): McpFault | null {
  if (!/^[a-z][a-z0-9_]{0,23}$/.test(form.name)) return 'name'
  if (form.kind === 'stdio' && form.command.trim() === '') return 'command'
  if (form.kind === 'http' && !isUrl(form.url.trim())) return 'url'
  const rule = form.kind === 'stdio' ? /^[A-Za-z_][A-Za-z0-9_]*$/ : /^[A-Za-z0-9-]+$/
  return form.secrets.some((one) => !rule.test(one.name)) ? 'secret' : null
}

export function mcpInput(form: McpForm): McpServerInput {
  const secrets = Object.fromEntries(form.secrets.map((one) => [one.name, one.value]))
  const transport: McpServerInput['transport'] =
    form.kind === 'http'
      ? { kind: 'http', url: form.url.trim(), headers: secrets }
      : {
          kind: 'stdio',
          command: form.command.trim(),
          args: form.args.split('\n').filter((line) => line !== ''),
          env: secrets,
          directory: form.directory.trim() || null,
        }
  return { name: form.name, transport, enabled: form.enabled }
}

/** Ready-made settings of three kinds of program for the token that was just made. `server`: address without path. */
export function clientSnippets(
  server: string,
  token: string,
): readonly { readonly id: 'claude' | 'ide' | 'homeAssistant'; readonly text: string }[] {
  const show = (value: unknown) => JSON.stringify(value, null, 2)
  const url = `${server}/mcp`
  return [
    // Claude Desktop starts a program: `roost mcp` speaks to the server and knows its certificate.
    {
      id: 'claude',
      text: show({
        mcpServers: { roost: { command: 'roost', args: ['mcp'], env: { ROOST_SERVER: server, ROOST_TOKEN: token } } },
      }),
    },
    {
      id: 'ide',
      text: show({ servers: { roost: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } }),
    },
    { id: 'homeAssistant', text: [`url: ${url}`, `authorization: Bearer ${token}`].join('\n') },
  ]
}
