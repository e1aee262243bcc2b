import { AppError, isAppError } from '../base/app-error.ts'
import { createLog } from '../base/log.ts'
import type { McpClient } from '../contract/mcp.ts'
import { ToolName } from '../contract/tool.ts'
import { defaultDataDir } from '../server/config.ts'
import { connectRpc, fromWire } from '../server/rpc/rpc-client.ts'
import { openStore } from '../server/store/open-store.ts'
import { type ApiClients, type ClientOrder, openApiClients } from '../server/tools/gateway/api-clients.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions, wholeNumber } from './options.ts'
import { findServer } from './server-access.ts'

const help = `Usage: roost token make --for mcp [options]
       roost token list [--json]
       roost token revoke ID

Tokens of outside programs. A token is shown once; only its hash is kept.

  --name N           what the program is called (default: its purpose)
  --expires DAYS     1 to 3650 (default 90)
  --allow TOOL…      tools that it may call; without one it may call nothing
  --device ID…       only on these devices (default: all)
  --write            also tools that change something; destructive ones wait for a person all the same
  --transcripts      may read what was said lately
  --data DIR         the server of this data directory, running or not
  --server URL       or this running server, with --token-file FILE or ROOST_TOKEN
`

const options = {
  for: { type: 'string' },
  name: { type: 'string' },
  expires: { type: 'string' },
  allow: { type: 'string', multiple: true },
  device: { type: 'string', multiple: true },
  write: { type: 'boolean' },
  transcripts: { type: 'boolean' },
  data: { type: 'string' },
  server: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean' },
} as const

type Values = ReturnType<
  typeof readOptions<{ args: string[]; options: typeof options; allowPositionals: true }>
>['values']
type Clients = Pick<ApiClients, 'make' | 'revoke'> & { list(): Promise<McpClient[]> | McpClient[] }

export const tokenCommand: Command = {
  name: 'token',
  summary: 'make, list and revoke tokens of outside programs',
  help,
  async run(args, io) {
    const { values, positionals } = readOptions({ args: [...args], options, allowPositionals: true })
    const [action, ...rest] = positionals
    const work = workOf(action, rest, values)
    const { out, beside } = await withClients(values, io, work)
    io.stdout(out)
    if (beside !== undefined) io.stderr(beside)
    return 0
  },
}

interface Said {
  readonly out: string
  /** For standard error. */
  readonly beside?: string
}

/** What is wrong with the words is said before anything is opened. */
function workOf(action: string | undefined, rest: readonly string[], values: Values) {
  if (action === 'make') {
    const order = orderOf(values, rest)
    return async (clients: Clients): Promise<Said> => {
      const { client, token } = await clients.make(order)
      if (values.json) return { out: `${JSON.stringify({ ...client, token })}\n` }
      // Standard output holds the token alone: `> FILE` makes what --token-file takes.
      return { out: `${token}\n`, beside: `${describe(client)}The token is not shown again.\n` }
    }
  }
  if (action === 'list' && rest.length === 0) {
    return async (clients: Clients): Promise<Said> => {
      const all = await clients.list()
      return { out: values.json ? `${JSON.stringify(all)}\n` : all.map(describe).join('') || 'No tokens.\n' }
    }
  }
  const [id] = rest
  if (action === 'revoke' && id !== undefined && rest.length === 1) {
    return async (clients: Clients): Promise<Said> => {
      await clients.revoke(id)
      return { out: values.json ? `${JSON.stringify({ id, revoked: true })}\n` : `Revoked ${id}.\n` }
    }
  }
  throw new AppError('server-bad-usage', 'make, list or revoke ID is needed')
}

function orderOf(values: Values, more: readonly string[]): ClientOrder {
  const purpose = values.for
  // The other purposes that a kept token may have open nothing yet.
  if (purpose !== 'mcp') throw new AppError('server-bad-usage', '--for takes mcp')
  if (more.length > 0 && !values.allow) throw new AppError('server-bad-usage', `"${more[0] ?? ''}" is not understood`)
  const allowed = [...(values.allow ?? []), ...more]
  const wrong = allowed.find((name) => !ToolName.safeParse(name).success)
  if (wrong !== undefined) throw new AppError('server-bad-usage', `"${wrong}" is no name of a tool`)
  return {
    name: values.name ?? purpose,
    purpose,
    readOnly: values.write !== true,
    allowed,
    deviceIds: (values.device ?? []).map((id) => id.toLowerCase()),
    transcripts: values.transcripts === true,
    days: wholeNumber('expires', values.expires, { min: 1, max: 3650, fallback: 90 }),
  }
}

/** By the running server, so that it ends live sessions itself; without one, in its store under the same lock. */
async function withClients(values: Values, io: CommandIo, work: (clients: Clients) => Promise<Said>): Promise<Said> {
  const server = await findServer(values, io).catch((error: unknown) => {
    if (isAppError(error, 'server-not-running')) return undefined
    throw error
  })
  if (!server) return inStore(values.data ?? io.env['ROOST_DATA'] ?? defaultDataDir(io.env), work)
  const rpc = await connectRpc({ url: server.url, token: server.secret })
  const { mcp } = rpc.client
  try {
    return await work({
      list: () => mcp.clients(),
      make: (order) => mcp.makeClient({ ...order, allowed: [...order.allowed], deviceIds: [...order.deviceIds] }),
      revoke: async (id) => {
        await mcp.revokeClient({ id })
      },
    })
  } catch (error) {
    throw fromWire(error)
  } finally {
    rpc.close()
  }
}

async function inStore(dir: string, work: (clients: Clients) => Promise<Said>): Promise<Said> {
  const log = createLog({ level: 'warn' })
  const store = await openStore({ dir, log })
  try {
    const names = (await store.tools.all()).map(({ name }) => name)
    // A directory without any was never served: what will be there nobody knows.
    const toolNames = () => (names.length === 0 ? undefined : names)
    const clients = await openApiClients({ store: store.apiClients, now: Date.now, log, toolNames })
    const text = await work(clients)
    await clients.close()
    return text
  } finally {
    await store.close()
  }
}

function describe(client: McpClient): string {
  const ends = new Date(client.expiresAt).toISOString().slice(0, 10)
  const state = client.revokedAt === null ? `until ${ends}` : 'revoked'
  const rights = `${client.readOnly ? 'reads' : 'writes'}, ${client.allowed.length} tools, ${client.calls} calls`
  return `${client.id}  ${client.purpose.padEnd(7)}  ${state}  ${rights}  ${client.name}\n`
}
