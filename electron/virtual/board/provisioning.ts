import { type RequestOptions, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { z } from 'zod'

/** What a board knows of its server, straight from its flash (iotta-protocol §2.1). */
export interface BoardServer {
  /** https URL without path, or http on loopback. */
  readonly url: string
  /** The only certificate that the board trusts, PEM. Without it: public roots. */
  readonly ca?: string
}

export const ProvisionReply = z.object({
  session_url: z.url(),
  tools_url: z.url(),
  telemetry_url: z.url(),
  token: z.string().min(1),
  token_expires_at: z.string(),
  server_time: z.number(),
  ca_fingerprint: z.string().optional(),
  agent: z.object({ id: z.string(), name: z.string(), language: z.string() }).optional(),
})
export type ProvisionReply = z.infer<typeof ProvisionReply>

const Pending = z.object({
  status: z.literal('pending'),
  code: z.string(),
  request: z.string(),
  retry_after: z.number(),
})
const Refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

export type ProvisionOutcome =
  | { readonly type: 'enrolled'; readonly reply: ProvisionReply }
  | { readonly type: 'pending'; readonly code: string; readonly request: string; readonly retryMs: number }
  | {
      readonly type: 'refused'
      readonly status: number
      readonly code: string
      readonly message: string
      readonly retryMs: number
    }
  | { readonly type: 'unreachable'; readonly message: string }

export interface BoardAnswer {
  readonly status: number
  readonly text: string
  readonly retryMs: number
}

export interface BoardPost {
  readonly url: string
  readonly body: unknown
  readonly token?: string | undefined
}

const largestAnswer = 64 * 1024
const patienceMs = 10_000

/** A claim never leaves over a connection that was not verified: plain http is for this machine only (§2.1). */
export function isAllowedServer(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
}

/** POST of a JSON body as a board does it: pinned CA, small answers, no redirects. Rejects when nothing answers. */
export function postAsBoard(server: BoardServer, { url, body, token }: BoardPost): Promise<BoardAnswer> {
  const payload = Buffer.from(JSON.stringify(body))
  const options: RequestOptions & { ca?: string } = {
    method: 'POST',
    timeout: patienceMs,
    headers: {
      'content-type': 'application/json',
      'content-length': payload.length,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(server.ca === undefined ? {} : { ca: server.ca }),
  }
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const outgoing = send(url, options, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > largestAnswer) outgoing.destroy(new Error('the answer is too large'))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
          retryMs: 1000 * Number(response.headers['retry-after'] ?? 0) || 0,
        }),
      )
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in 10 s')))
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
}

/** One try at `POST /provision` (iotta-protocol §2). Never rejects: every end is an outcome. */
export async function provision(
  server: BoardServer,
  body: Record<string, unknown>,
  token?: string,
): Promise<ProvisionOutcome> {
  if (!isAllowedServer(server.url))
    return { type: 'unreachable', message: `${server.url} is neither https nor this machine` }
  try {
    return readOutcome(await postAsBoard(server, { url: `${server.url.replace(/\/$/, '')}/provision`, body, token }))
  } catch (error) {
    return { type: 'unreachable', message: error instanceof Error ? error.message : String(error) }
  }
}

function readOutcome(answer: BoardAnswer): ProvisionOutcome {
  const json = parseJson(answer.text)
  const enrolled = ProvisionReply.safeParse(json)
  if (answer.status === 200 && enrolled.success) return { type: 'enrolled', reply: enrolled.data }
  const pending = Pending.safeParse(json)
  if (answer.status === 202 && pending.success) {
    const { code, request, retry_after: seconds } = pending.data
    return { type: 'pending', code, request, retryMs: Math.max(1, seconds) * 1000 }
  }
  const refusal = Refusal.safeParse(json)
  const code = refusal.success ? refusal.data.error.code : 'bad_answer'
  const message = refusal.success ? refusal.data.error.message : `HTTP ${answer.status}`
  return { type: 'refused', status: answer.status, code, message, retryMs: answer.retryMs }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
