import { AppError, toAppError } from '../../../base/app-error.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { createAssembler, errorMessage, type ModelCall } from './completion-assembler.ts'
import { readEvents } from './event-stream.ts'
import type { ModelAddress } from './model-address.ts'

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant'
      readonly content: string
      readonly tool_calls?: readonly {
        readonly id: string
        readonly type: 'function'
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

export interface ChatTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

/** Where and as whom. The key is sent in the header of the request and shown nowhere. */
export interface ModelTarget {
  readonly address: ModelAddress
  readonly model: string
  readonly key: string | null
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ChatTool[]
  /** Aborts the request itself: the connection is closed. */
  readonly signal: AbortSignal
}

const longestErrorBody = 16 * 1024

/**
 * One request to `/chat/completions`: yields text as it streams in, returns the calls. Rejects model-… codes; after an
 * abort it rejects with the signal's reason.
 */
export async function* completeChat(
  target: ModelTarget,
  request: ChatRequest,
): AsyncGenerator<string, readonly ModelCall[]> {
  const response = await send(target, request)
  if (!response.ok) throw await refusalOf(response, target)
  if (!response.body) throw new AppError('model-bad-answer', 'The answer has no body')
  const assembler = createAssembler()
  try {
    for await (const data of piecesOf(response, response.body)) {
      if (data === '[DONE]') break
      const text = assembler.add(data)
      if (text !== '') yield text
    }
  } catch (error) {
    throw broken(error, target, request.signal)
  }
  return assembler.calls()
}

async function send({ address, model, key }: ModelTarget, request: ChatRequest): Promise<Response> {
  const { messages, tools, signal } = request
  const body = { model, messages, stream: true, ...(tools.length > 0 ? { tools } : {}) }
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
  try {
    return await fetch(address.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...authorization },
      body: JSON.stringify(body),
      // The key is for one place only.
      redirect: 'manual',
      signal,
    })
  } catch (cause) {
    signal.throwIfAborted()
    throw new AppError('model-unreachable', `${address.host} cannot be reached: ${networkReason(cause)}`, { cause })
  }
}

/** A server that cannot stream sends the whole answer as one piece. */
async function* piecesOf(response: Response, body: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const isStream = response.headers.get('content-type')?.includes('application/json') !== true
  if (isStream) return yield* readEvents(body)
  yield await readText(body, 1024 * 1024)
  return undefined
}

/** What broke while the answer came in. A far end that goes away in the middle is not an answer that is bad. */
function broken(error: unknown, target: ModelTarget, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof AppError) return maskedError(error, target.key)
  const reason = networkReason(error)
  return new AppError('model-unreachable', `${target.address.host} ended in the middle: ${reason}`, { cause: error })
}

async function refusalOf(response: Response, { address, key }: ModelTarget): Promise<AppError> {
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    return new AppError('model-redirected', `${address.host} answers with status ${status}`)
  }
  const body = response.body ? await readText(response.body, longestErrorBody).catch(() => '') : ''
  const said = errorMessage(readJson(body))
  const refusal = new AppError(codeOf(status, said), `${address.host} answers with status ${status}: ${said}`)
  return maskedError(refusal, key)
}

function codeOf(status: number, said: string): ErrorCode {
  if (/(?:support|enable)\w*\b.*\btools?\b|\btools?\b.*(?:not support|unsupported|auto.tool.choice)/i.test(said)) {
    return 'model-no-tools'
  }
  if (status === 401 || status === 403) return 'model-key-refused'
  if (status === 404) return 'model-not-found'
  if (status === 429 || status === 503) return 'model-busy'
  return status >= 500 ? 'model-failed' : 'model-refused'
}

/** Some servers repeat what they were sent. */
function maskedError(error: AppError, key: string | null): AppError {
  if (key === null || !error.message.includes(key)) return error
  return new AppError(error.code, error.message.replaceAll(key, '[secret]'))
}

/** At most `most` bytes; throws model-flooded beyond. */
async function readText(body: ReadableStream<Uint8Array>, most: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > most) throw new AppError('model-flooded', `The answer has more than ${most / 1024} KiB`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An error page of a proxy: its text says more than nothing.
    return text
  }
}

/** `fetch failed` says nothing; its cause does. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return code === '' ? toAppError(cause).message : code
}
