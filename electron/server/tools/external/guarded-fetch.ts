import { isIP } from 'node:net'
import { AppError } from '../../../base/app-error.ts'
import { maxMessageBytes } from './line-feed.ts'

const maxRedirects = 3

export interface GuardOptions {
  /** The only place that is ever called. */
  readonly url: string
  /** The server was told to make no connection to the outside. */
  readonly offline: boolean
  readonly fetch?: typeof fetch
}

/**
 * A fetch that reaches the configured origin and nothing else, whatever the far end answers. A message of more than
 * 1 MiB breaks its stream. Rejects mcp-offline, mcp-redirected.
 */
export function createGuardedFetch(options: GuardOptions) {
  const home = new URL(options.url)
  const reach = options.fetch ?? fetch

  return async function guardedFetch(target: string | URL, init: RequestInit = {}): Promise<Response> {
    if (options.offline && !isLoopback(home.hostname)) {
      throw new AppError('mcp-offline', `${home.host} was not called`)
    }
    let url = new URL(target)
    for (let hop = 0; ; hop += 1) {
      if (url.origin !== home.origin) {
        throw new AppError('mcp-redirected', `The server at ${home.origin} sends calls to ${url.origin}`)
      }
      const response = await reach(url, { ...init, redirect: 'manual' })
      const next = response.headers.get('location')
      // Only the two that keep method and body: a call that becomes a GET would be another call.
      if (next === null || (response.status !== 307 && response.status !== 308)) return limited(response, home)
      await response.body?.cancel()
      if (hop >= maxRedirects) throw new AppError('mcp-redirected', `${home.origin} sends calls in a circle`)
      url = new URL(next, url)
    }
  }
}

function limited(response: Response, home: URL): Response {
  if (response.status >= 300 && response.status < 400) {
    throw new AppError('mcp-redirected', `${home.origin} answers a call with status ${response.status}`)
  }
  if (!response.body) return response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const body = response.body.pipeThrough(createSizeLimit(isStream))
  return new Response(body, response)
}

/** In an event stream the count begins again with each event, which a blank line ends. */
function createSizeLimit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  let endedLine = false
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of isStream ? chunk : []) {
        size = byte === 0x0a && endedLine ? 0 : size + 1
        if (byte !== 0x0d) endedLine = byte === 0x0a
        if (size > maxMessageBytes) break
      }
      if (!isStream) size += chunk.length
      if (size > maxMessageBytes) controller.error(new AppError('mcp-flooded', 'A message has more than 1 MiB'))
      else controller.enqueue(chunk)
    },
  })
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
