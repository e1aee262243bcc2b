import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CallToolResultSchema,
  ErrorCode as McpErrorCode,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AppError, isAppError } from '../../../base/app-error.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import { unwrapResult } from '../call-result.ts'
import type { SchemaChecker } from '../json-schema.ts'
import type { LinkTransport } from './child-transport.ts'
import { listRemoteTools, type RemoteList } from './remote-tools.ts'

export interface RemoteCall {
  /** As its server calls it. */
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** One connection to an outside server, from its handshake to its end. */
export interface RemoteClient {
  /** Shakes hands and asks for the tools; `onList` has them before it resolves. */
  open(): Promise<void>
  /** The value object. Rejects tool-timeout, tool-cancelled, tool-disconnected, tool-too-many, tool-failed. */
  call(request: RemoteCall): Promise<Readonly<Record<string, unknown>>>
  /** No `onLost` comes after it. */
  close(): Promise<void>
}

export interface RemoteClientOptions {
  readonly server: string
  readonly transport: LinkTransport
  readonly checker: SchemaChecker
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  readonly onList: (list: RemoteList) => Promise<void>
  readonly onLost: (error: unknown) => void
}

const answerWithinMs = 20_000
const maxCallsAtOnce = 16
/** A server that hangs, or an address that went away, is noticed within this. */
const pingEveryMs = 30_000
const pongWithinMs = 10_000
/** A server that says "my tools changed" all the time is asked this often. */
const askAgainAfterMs = 1_000

export function createRemoteClient(options: RemoteClientOptions): RemoteClient {
  const { server, transport, clock, log } = options
  const client = new Client({ name: 'roost', version: options.version }, { capabilities: {} })
  client.onerror = (error) => log.debug('outside server', { error })
  let isOver = false
  let callsOpen = 0
  let stopPing: (() => void) | undefined

  function lose(error: unknown): void {
    if (isOver) return
    isOver = true
    stopPing?.()
    options.onLost(transport.failure() ?? error)
  }

  async function learn(): Promise<void> {
    if (!client.getServerCapabilities()?.tools) return
    const list = await listRemoteTools(client, { server, checker: options.checker, timeoutMs: answerWithinMs })
    if (!isOver) await options.onList(list)
  }

  async function ping(): Promise<void> {
    stopPing?.()
    try {
      await client.ping({ timeout: pongWithinMs })
    } catch (error) {
      // Whoever answers that it does not know pings is there.
      if (!isAnswer(error)) return lose(error)
    }
    if (!isOver) stopPing = clock.after(pingEveryMs, () => void ping())
  }

  return {
    async open() {
      try {
        await client.connect(transport, { timeout: answerWithinMs })
        // Not before: a handshake that fails closes the transport first and says why afterwards.
        client.onclose = () => lose(new AppError('mcp-stopped', 'The connection was closed'))
        if (transport.failure()) return lose(transport.failure())
        client.setNotificationHandler(ToolListChangedNotificationSchema, createAsker(learn, clock))
        await learn()
        if (!isOver) stopPing = clock.after(pingEveryMs, () => void ping())
      } catch (error) {
        lose(error)
        throw error
      }
    },
    async call(request) {
      if (callsOpen >= maxCallsAtOnce) throw tooMany(server)
      callsOpen += 1
      try {
        return await callOnce(client, request, log)
      } catch (error) {
        // Not an answer of the server: is it still there?
        if (isAppError(error, 'tool-failed') && error.cause && !isAnswer(error.cause)) void ping()
        throw error
      } finally {
        callsOpen -= 1
      }
    },
    async close() {
      isOver = true
      stopPing?.()
      await transport.close().catch(() => undefined)
    },
  }
}

function tooMany(server: string): AppError {
  return new AppError('tool-too-many', `${maxCallsAtOnce} calls wait for "${server}"`)
}

async function callOnce(client: Client, request: RemoteCall, log: Log): Promise<Readonly<Record<string, unknown>>> {
  const { name, signal, timeoutMs } = request
  try {
    const params = { name, arguments: { ...request.arguments } }
    // An abort sends notifications/cancelled; progress is heard, but the deadline of the call stays what it is.
    const answer = await client.request({ method: 'tools/call', params }, CallToolResultSchema, {
      signal,
      timeout: timeoutMs,
      onprogress: ({ progress, total }) => log.debug('progress', { tool: name, progress, total }),
    })
    const value = unwrapResult(answer)
    if (value.ok) return value.value
    throw new AppError('tool-failed', value.message)
  } catch (error) {
    throw callFailure(error, signal)
  }
}

const codeIs = (error: unknown, code: number) => error instanceof McpError && error.code === code

function callFailure(error: unknown, signal: AbortSignal): AppError {
  if (isAppError(error)) return error
  if (signal.aborted) return new AppError('tool-cancelled', 'The call was cancelled', { cause: error })
  if (codeIs(error, McpErrorCode.RequestTimeout)) {
    return new AppError('tool-timeout', 'The MCP server did not answer in time', { cause: error })
  }
  if (codeIs(error, McpErrorCode.ConnectionClosed)) {
    return new AppError('tool-disconnected', 'The MCP server left during the call', { cause: error })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new AppError('tool-failed', message.slice(0, 300), { cause: error })
}

/** The server itself said no: it is there. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof McpError &&
    !codeIs(error, McpErrorCode.RequestTimeout) &&
    !codeIs(error, McpErrorCode.ConnectionClosed)
  )
}

/** One question at a time; those asked meanwhile become one more, a little later. */
function createAsker(ask: () => Promise<void>, clock: Clock): () => void {
  let running = false
  let again = false
  async function run(): Promise<void> {
    running = true
    await ask().catch(() => undefined)
    clock.after(askAgainAfterMs, () => {
      running = false
      if (!again) return
      again = false
      void run()
    })
  }
  return () => {
    if (running) again = true
    else void run()
  }
}
