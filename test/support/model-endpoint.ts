import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

// Test support: the far end of a model, written from the OpenAI reference (chat completions, streaming). What it answers
// is scripted; what it was asked, and whether the connection was let go, is kept.

export interface ModelMessage {
  readonly role: string
  readonly content: string
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]
  readonly tool_call_id?: string
}

export interface ModelRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly stream: boolean
    readonly messages: readonly ModelMessage[]
    readonly tools?: readonly { readonly function: { name: string; description: string; parameters: object } }[]
  }
  /** The asking side closed the connection before the answer was over. */
  readonly dropped: boolean
}

/** `then`: after the pieces the stream ends, stays open without a word, or its connection is cut. */
export interface ModelScript {
  readonly text?: readonly string[]
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[]
  readonly then?: 'end' | 'hang' | 'die'
  /** Instead of a stream. */
  readonly status?: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type ModelAnswers = (request: ModelRequest, index: number) => ModelScript

export async function startModelEndpoint(answers: ModelAnswers) {
  const requests: (ModelRequest & { dropped: boolean })[] = []
  let answer = answers

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const seen = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(parts).toString('utf8')) as ModelRequest['body'],
      dropped: false,
    }
    requests.push(seen)
    response.on('close', () => (seen.dropped = !response.writableFinished))
    reply(response, answer(seen, requests.length - 1))
  }

  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  async function close() {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    setAnswers: (next: ModelAnswers) => (answer = next),
    close,
  }
}

function reply(response: ServerResponse, script: ModelScript): void {
  if (script.status !== undefined) {
    response.writeHead(script.status, { 'content-type': 'application/json', ...script.headers }).end(script.body ?? '')
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': scripted\r\n\r\n')
  const piece = (delta: object, finish: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
  piece({ role: 'assistant', content: '' })
  for (const content of script.text ?? []) piece({ content })
  for (const [index, call] of (script.calls ?? []).entries()) {
    const half = Math.floor(call.arguments.length / 2)
    const id = `call-${index}`
    piece({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] })
    piece({ tool_calls: [{ index, function: { arguments: call.arguments.slice(0, half) } }] })
    piece({ tool_calls: [{ index, function: { arguments: call.arguments.slice(half) } }] })
  }
  if (script.then === 'hang') return
  if (script.then === 'die') {
    // What was written goes out first.
    response.socket?.end(() => response.destroy())
    return
  }
  piece({}, script.calls ? 'tool_calls' : 'stop')
  response.end('data: [DONE]\n\n')
}
