import { type Readable, Writable } from 'node:stream'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { isInitializeRequest, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { AppError } from '../../../base/app-error.ts'

export interface StdioProxyOptions {
  /** `http://…/mcp` or `https://…/mcp`. */
  readonly url: string
  readonly token: string
  readonly stdin: Readable
  readonly stdout: (text: string) => void
  readonly signal: AbortSignal
  /** What went wrong beside an answer, in words. */
  readonly onTrouble: (message: string) => void
}

const handshakeAnswer = /^\d{4}-\d{2}-\d{2}$/

const patienceMs = 30_000

/** Which requests still wait. `done` is called when none does and no more will come. */
function createQuestions(done: () => void) {
  const open = new Set<string | number>()
  let isOver = false
  const look = () => {
    if (isOver && open.size === 0) done()
  }
  return {
    asked: (id: string | number) => void open.add(id),
    answered(id: string | number) {
      open.delete(id)
      look()
    },
    noMore() {
      isOver = true
      look()
    },
  }
}

/** 401 and 403 are about the token; anything else is about the way there. */
function refusalOf(error: unknown, reason: string): AppError {
  const status = error instanceof Error && 'code' in error ? error.code : undefined
  const code = status === 401 || status === 403 ? 'mcp-token-unknown' : 'server-not-running'
  return new AppError(code, reason, { cause: error })
}

/**
 * MCP over standard input and output, led to a server's `/mcp`: message by message, so that nothing of the protocol is
 * lost between. Resolves when the input ends or the signal aborts. Rejects server-not-running when nobody answers.
 */
export async function runStdioProxy(options: StdioProxyOptions): Promise<void> {
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      options.stdout(chunk.toString('utf8'))
      done()
    },
  })
  const near: Transport = new StdioServerTransport(options.stdin, output)
  const http = new StreamableHTTPClientTransport(new URL(options.url), {
    requestInit: { headers: { Authorization: `Bearer ${options.token}` } },
  })
  // The SDK's class declares its callbacks without `undefined`, its interface with it.
  const far = http as unknown as Transport
  const ended = Promise.withResolvers<undefined>()
  let handshake: JSONRPCMessage | undefined
  let sending: Promise<unknown> = Promise.resolve()
  const questions = createQuestions(() => ended.resolve(undefined))

  async function forward(message: JSONRPCMessage): Promise<void> {
    try {
      await far.send(message)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      options.onTrouble(reason)
      if (isInitializeRequest(message)) ended.reject(refusalOf(error, reason))
      // Whoever asked must not wait for ever.
      if (isJSONRPCRequest(message)) {
        await near.send({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: reason } })
        questions.answered(message.id)
      }
    }
  }

  near.onmessage = (message) => {
    if (isInitializeRequest(message)) handshake = message
    if (isJSONRPCRequest(message)) questions.asked(message.id)
    // The session id comes with the first answer: what follows waits for it, and only for it.
    const sent = sending.then(() => forward(message))
    if (isInitializeRequest(message)) sending = sent
  }
  far.onmessage = (message) => {
    if (handshake && 'id' in handshake && 'result' in message && message.id === handshake.id) {
      const version = message.result['protocolVersion']
      if (typeof version === 'string' && handshakeAnswer.test(version)) far.setProtocolVersion?.(version)
    }
    void near.send(message)
    if (!('method' in message) && message.id !== undefined) questions.answered(message.id)
  }
  far.onerror = (error) => options.onTrouble(error.message)
  // What was asked before the input ended is still answered: `printf … | roost mcp`.
  options.stdin.once('end', () => {
    setTimeout(() => ended.resolve(undefined), patienceMs).unref()
    void sending.then(() => questions.noMore())
  })
  options.signal.addEventListener('abort', () => ended.resolve(undefined))
  await far.start()
  await near.start()
  try {
    await ended.promise
  } finally {
    await http.terminateSession().catch(() => undefined)
    await Promise.all([far.close(), near.close()])
  }
}
