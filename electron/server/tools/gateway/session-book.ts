import { randomBytes } from 'node:crypto'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import type { Log } from '../../../base/log.ts'
import { type ClientBudget, createClientBudget } from './client-budget.ts'
import type { GatewayChange, GatewaySource, Remit } from './gateway-source.ts'
import { createGatewaySession, type GatewaySession } from './gateway-session.ts'

export interface SessionBookOptions {
  /** The rights of a client of now; undefined = ended. */
  readonly remitOf: (clientId: string) => Remit | undefined
  readonly noteCall: (clientId: string) => void
  readonly log: Log
  readonly version: string
}

/** The live sessions of all clients: capped, ended when idle or when their client's rights end. */
export interface SessionBook {
  /** Undefined for a session of another client too: ids are no keys. */
  find(clientId: string, sessionId: string): GatewaySession | undefined
  /** Undefined = too many, and none of them is idle. */
  begin(clientId: string, sources: readonly GatewaySource[]): Promise<GatewaySession | undefined>
  /** Takes one request of the client's budget; false = none is left. */
  admit(clientId: string): boolean
  tell(change: GatewayChange, clientId?: string): void
  /** Every session of the client. */
  end(clientId: string): void
  close(): Promise<void>
}

const maxSessions = 64
const maxSessionsOfClient = 8
const idleMs = 30 * 60_000
/** A token's end is noticed within this. */
const lookEveryMs = 1_000
const accessEnded = -32001
const tooOften = -32003

export function createSessionBook(options: SessionBookOptions): SessionBook {
  const { log, remitOf } = options
  const sessions = new Map<string, GatewaySession>()
  const budgets = createBudgets()
  const timer = setInterval(look, lookEveryMs).unref()
  const of = (clientId: string) => [...sessions.values()].filter((session) => session.clientId === clientId)

  function look(): void {
    const now = performance.now()
    for (const session of sessions.values()) {
      const isIdle = session.openAnswers === 0 && now - session.lastUsedAt > idleMs
      if (isIdle || !remitOf(session.clientId)) void session.close()
    }
  }

  return {
    find: (clientId, sessionId) => of(clientId).find((session) => sessions.get(sessionId) === session),
    async begin(clientId, sources) {
      const pool = fullPool(of(clientId), [...sessions.values()])
      if (pool && !makeRoom(pool)) return undefined
      let sessionId: string | undefined
      const session = await createGatewaySession({
        ...options,
        ...rightsOf(clientId, options, budgets),
        clientId,
        sources,
        log: log.child('session', { clientId }),
        newId: () => randomBytes(24).toString('base64url'),
        onOpen(id) {
          sessionId = id
          sessions.set(id, session)
          log.info('session opened', { clientId })
        },
        onEnd() {
          if (sessionId !== undefined && sessions.delete(sessionId)) log.info('session ended', { clientId })
        },
      })
      return session
    },
    admit: (clientId) => budgets.of(clientId).take('request', performance.now()),
    tell(change, clientId) {
      const told = clientId === undefined ? sessions.values() : of(clientId)
      for (const session of told) session.tell(change)
    },
    end(clientId) {
      for (const session of of(clientId)) void session.close()
      budgets.forget(clientId)
    },
    async close() {
      clearInterval(timer)
      await Promise.all([...sessions.values()].map((session) => session.close()))
    },
  }
}

type Budgets = ReturnType<typeof createBudgets>

function createBudgets() {
  const budgets = new Map<string, ClientBudget>()
  return {
    of(clientId: string): ClientBudget {
      const budget = budgets.get(clientId) ?? createClientBudget()
      budgets.set(clientId, budget)
      return budget
    },
    forget: (clientId: string) => void budgets.delete(clientId),
  }
}

/** Looked up at each request, so that what a person changes holds at once. */
function rightsOf(clientId: string, { remitOf, noteCall }: SessionBookOptions, budgets: Budgets) {
  return {
    remit() {
      const remit = remitOf(clientId)
      if (!remit) throw new McpError(accessEnded, 'The token of this client has ended')
      return remit
    },
    admitCall() {
      if (!budgets.of(clientId).take('call', performance.now())) throw new McpError(tooOften, 'Too many calls: wait')
      noteCall(clientId)
    },
  }
}

/** The sessions of which one has to go before another may begin; undefined = there is room. */
function fullPool(mine: GatewaySession[], all: GatewaySession[]): GatewaySession[] | undefined {
  if (mine.length >= maxSessionsOfClient) return mine
  return all.length >= maxSessions ? all : undefined
}

/** Clients that never say goodbye: the oldest session that nobody listens to makes room. */
function makeRoom(pool: readonly GatewaySession[]): boolean {
  const [oldest] = pool.filter((one) => one.openAnswers === 0).sort((a, b) => a.lastUsedAt - b.lastUsedAt)
  void oldest?.close()
  return oldest !== undefined
}
