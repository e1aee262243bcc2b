import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isInitializeRequest, McpError } from '@modelcontextprotocol/sdk/types.js'
import { isDeeperThan } from '../../../base/json-depth.ts'
import type { Log } from '../../../base/log.ts'
import { type ClientBudget, createClientBudget } from './client-budget.ts'
import type { GatewayChange, GatewaySource, Remit } from './gateway-source.ts'
import { createGatewaySession, type GatewaySession } from './gateway-session.ts'

/** One request to `/mcp` of a client whose token was good. `body`: the bytes, not read yet. */
export interface GatewayRequest {
  readonly clientId: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer | undefined
}

export interface Gateway {
  handle(request: GatewayRequest): Promise<void>
  /** Joins a source; sessions that begin later advertise what it has. */
  register(source: GatewaySource): void
  /** The rights of a client changed or ended: its sessions hear of it, or end. */
  clientChanged(clientId: string): void
  readonly sessionCount: number
  close(): Promise<void>
}

export interface GatewayOptions {
  /** The rights of a client of now; undefined = ended. */
  readonly remitOf: (clientId: string) => Remit | undefined
  readonly noteCall: (clientId: string) => void
  readonly log: Log
  readonly version: string
}

const maxSessions = 64
const maxSessionsOfClient = 8
const idleMs = 30 * 60_000
/** A token's end is noticed within this. */
const lookEveryMs = 1_000
const maxDepth = 64

/** The house's tools and facts for outside AI programs: MCP over streamable HTTP, a session each, bound to its client. */
export function createGateway(options: GatewayOptions): Gateway {
  const log = options.log.child('gateway')
  const sources: GatewaySource[] = []
  const sessions = new Map<string, GatewaySession>()
  const budgets = new Map<string, ClientBudget>()
  const timer = setInterval(look, lookEveryMs).unref()

  const budgetOf = (clientId: string) => {
    const budget = budgets.get(clientId) ?? createClientBudget()
    budgets.set(clientId, budget)
    return budget
  }
  const tell = (change: GatewayChange) => sessions.forEach((session) => session.tell(change))

  function look(): void {
    const now = performance.now()
    for (const session of sessions.values()) {
      const isIdle = session.openAnswers === 0 && now - session.lastUsedAt > idleMs
      if (isIdle || !options.remitOf(session.clientId)) void session.close()
    }
  }

  /** Clients that never say goodbye: their oldest session that nobody listens to makes room. */
  function makeRoom(clientId: string): boolean {
    const mine = [...sessions.values()].filter((session) => session.clientId === clientId)
    const pool = mine.length >= maxSessionsOfClient ? mine : sessions.size >= maxSessions ? [...sessions.values()] : []
    if (pool.length === 0) return true
    const [oldest] = pool.filter((one) => one.openAnswers === 0).sort((a, b) => a.lastUsedAt - b.lastUsedAt)
    void oldest?.close()
    return oldest !== undefined
  }

  async function begin(clientId: string): Promise<GatewaySession> {
    let sessionId: string | undefined
    const session = await createGatewaySession({
      ...options,
      clientId,
      sources: [...sources],
      log: log.child('session', { clientId }),
      newId: () => randomBytes(24).toString('base64url'),
      remit() {
        const remit = options.remitOf(clientId)
        if (!remit) throw new McpError(accessEnded, 'The token of this client has ended')
        return remit
      },
      admitCall() {
        if (!budgetOf(clientId).take('call', performance.now())) throw new McpError(tooOften, 'Too many calls: wait')
        options.noteCall(clientId)
      },
      onOpen(id) {
        sessionId = id
        sessions.set(id, session)
        log.info('session opened', { clientId })
      },
      onEnd() {
        if (sessionId === undefined || !sessions.delete(sessionId)) return
        log.info('session ended', { clientId })
      },
    })
    return session
  }

  /** The session that a request belongs to; undefined = the refusal was sent. */
  async function sessionOf({ clientId, request, response }: GatewayRequest, message: unknown) {
    const id = request.headers['mcp-session-id']
    if (id === undefined) {
      if (!isInitializeRequest(message)) return refuse(response, 400, 'Mcp-Session-Id is missing: initialize first')
      return makeRoom(clientId) ? begin(clientId) : refuse(response, 429, 'Too many sessions')
    }
    const session = typeof id === 'string' ? sessions.get(id) : undefined
    // A session of another client is none: ids are no keys.
    return session?.clientId === clientId ? session : refuse(response, 404, 'Session not found')
  }

  return {
    async handle(order) {
      const { clientId, request, response } = order
      if (!budgetOf(clientId).take('request', performance.now())) {
        response.setHeader('Retry-After', '1')
        refuse(response, 429, 'Too many requests')
        return
      }
      const reading = read(order.body)
      if (!reading.ok) {
        refuse(response, 400, 'Parse error: no JSON, or nested too deeply', parseError)
        return
      }
      try {
        const session = await sessionOf(order, reading.message)
        await session?.handle(request, response, reading.message)
      } catch (error) {
        log.error('a request of an outside client failed', { clientId, error })
        if (!response.headersSent) refuse(response, 500, 'Something failed inside the server', internalError)
      }
    },
    register(source) {
      sources.push(source)
      source.onChange(tell)
    },
    clientChanged(clientId) {
      const live = options.remitOf(clientId) !== undefined
      for (const session of sessions.values()) {
        if (session.clientId !== clientId) continue
        if (live) for (const kind of ['tools', 'resources'] as const) session.tell({ kind })
        else void session.close()
      }
      if (!live) budgets.delete(clientId)
    },
    get sessionCount() {
      return sessions.size
    },
    async close() {
      clearInterval(timer)
      await Promise.all([...sessions.values()].map((session) => session.close()))
    },
  }
}

const parseError = -32700
const internalError = -32603
const accessEnded = -32001
const tooOften = -32003

function read(body: Buffer | undefined): { ok: true; message: unknown } | { ok: false } {
  if (body === undefined) return { ok: true, message: undefined }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    return isDeeperThan(text, maxDepth) ? { ok: false } : { ok: true, message: JSON.parse(text) as unknown }
  } catch {
    return { ok: false }
  }
}

function refuse(response: ServerResponse, status: number, message: string, code = -32000): undefined {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }))
}
