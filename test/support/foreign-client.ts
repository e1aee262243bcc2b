import { request as httpsRequest } from 'node:https'
import { request as httpRequest } from 'node:http'
import { type ForeignSocket, openForeignSocket } from './foreign-socket.ts'

// A board written from iotta-protocol.md alone.

export interface ForeignServer {
  readonly url: string
  readonly ca?: string
}

export interface Provisioned {
  readonly session_url: string
  readonly tools_url: string
  readonly telemetry_url: string
  readonly token: string
  readonly token_expires_at: string
  readonly ca_fingerprint: string
  readonly server_time: number
  readonly agent: { readonly id: string; readonly name: string; readonly language: string }
}

export interface ForeignAnswer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: unknown
}

export async function post(
  server: ForeignServer,
  path: string,
  { body, headers = {} }: { body: string | Uint8Array; headers?: Record<string, string> },
): Promise<ForeignAnswer> {
  const at = new URL(path, server.url)
  const secure = at.protocol === 'https:'
  const answered = Promise.withResolvers<ForeignAnswer>()
  const request = (secure ? httpsRequest : httpRequest)(
    at,
    {
      method: 'POST',
      agent: false,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(secure ? { ca: server.ca, servername: 'localhost' } : {}),
    },
    (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => void parts.push(part))
      response.on('error', answered.reject)
      response.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8')
        answered.resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text === '' ? undefined : JSON.parse(text),
        })
      })
    },
  )
  request.on('error', answered.reject)
  request.end(body)
  return answered.promise
}

export function provision(server: ForeignServer, more: object, headers: Record<string, string> = {}) {
  const body = { board: 'foreign-1', fw: { name: 'foreign', version: '0.1' }, ...more }
  return post(server, '/provision', { body: JSON.stringify(body), headers })
}

/** Enrols by an open window or a claim. */
export async function enrol(server: ForeignServer, deviceId: string, more: object = {}): Promise<Provisioned> {
  const { status, body } = await provision(server, { device_id: deviceId, ...more })
  if (status !== 200) throw new Error(`provision: ${status} ${JSON.stringify(body)}`)
  return body as Provisioned
}

export const byHeaders = (token: string, id: string): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
  'Device-Id': id,
  'Protocol-Version': '1',
})

const base64url = (text: string) => Buffer.from(text).toString('base64url')

export const bySubprotocols = (token: string, id: string): Record<string, string> => ({
  'Sec-WebSocket-Protocol': [
    'iotta.v1',
    `iotta.authorization.${base64url(`Bearer ${token}`)}`,
    `iotta.device-id.${base64url(id)}`,
    `iotta.protocol-version.${base64url('1')}`,
  ].join(', '),
})

export type Json = Record<string, unknown>

/** A channel with its JSON read: `until` takes messages, binary frames included, up to the one that passes. */
export function speaker(socket: ForeignSocket) {
  return {
    ...socket,
    say: (message: Json) => socket.send(JSON.stringify(message)),
    async until(passes: (message: Json) => boolean): Promise<{ messages: Json[]; frames: Buffer[]; last: Json }> {
      const messages: Json[] = []
      const frames: Buffer[] = []
      for (;;) {
        const { text, bytes } = await socket.next()
        if (bytes) frames.push(bytes)
        if (text === undefined) continue
        const message = JSON.parse(text) as Json
        messages.push(message)
        if (passes(message)) return { messages, frames, last: message }
      }
    },
  }
}

export type ForeignChannel = ReturnType<typeof speaker>

export async function openChannel(
  server: ForeignServer,
  url: string,
  headers: Record<string, string>,
): Promise<ForeignChannel> {
  return speaker(await openForeignSocket({ url, ...(server.ca === undefined ? {} : { ca: server.ca }) }, headers))
}

export const helloMessage = {
  type: 'hello',
  audio: { codecs: ['opus', 'pcm'], sample_rate: 16_000, channels: 1, frame_duration: 60 },
}

/** Enrols, opens a session and says hello. */
export async function openSession(server: ForeignServer, deviceId: string, hello: Json = helloMessage) {
  const place = await enrol(server, deviceId)
  const session = await openChannel(server, place.session_url, byHeaders(place.token, deviceId))
  session.say(hello)
  const { last } = await session.until(({ type }) => type === 'hello' || type === 'error')
  return { place, session, hello: last }
}

/** The tool channel of a board: answers `declare_capabilities` and calls, and remembers them. */
export async function openTools(server: ForeignServer, place: Provisioned, tools: ForeignTools) {
  const channel = await openChannel(server, place.tools_url, byHeaders(place.token, tools.deviceId))
  const calls: { name: string; arguments: Json }[] = []
  const asked = Promise.withResolvers<undefined>()
  void (async () => {
    for (;;) {
      const { text } = await channel.next()
      const { id, method, params } = JSON.parse(text ?? '{}') as {
        id?: number | string
        method?: string
        params?: Json
      }
      if (id === undefined) continue
      const answer = (result: Json) => channel.say({ jsonrpc: '2.0', id, ...result })
      if (method !== 'tools/call') {
        answer({ error: { code: -32601, message: 'unknown method' } })
        continue
      }
      const call = { name: String(params?.['name']), arguments: (params?.['arguments'] ?? {}) as Json }
      if (call.name === 'declare_capabilities') {
        answer({ result: { tools: Object.keys(tools.tools).map((name) => ({ name })) } })
        asked.resolve(undefined)
        continue
      }
      calls.push(call)
      const result = tools.tools[call.name]?.(call.arguments)
      if (result) answer({ result })
    }
  })().catch(() => undefined)
  return { channel, calls, asked: asked.promise }
}

export interface ForeignTools {
  readonly deviceId: string
  /** By name; undefined = never answered. */
  readonly tools: Readonly<Record<string, (args: Json) => Json | undefined>>
}
