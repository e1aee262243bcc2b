import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError, isAppError } from '../../base/app-error.ts'
import type { AuthState } from '../../contract/server-info.ts'
import { errorTexts } from '../../contract/errors.ts'
import { type Auth, type ConsoleSession, cookieOf, sessionCookie } from './auth.ts'
import { type Doors, addressOf, jsonBody, send, textBody } from './exchange.ts'
import type { ListenerKind } from './listeners.ts'
import { messagePage, setupPage } from './pages.ts'
import { mintNonce, pageHeaders } from './security-headers.ts'

const text = z.string().max(512)
const SetUp = z.object({ secret: text, name: text, password: text })
const SignIn = z.object({ name: text, password: text })
const Desktop = z.object({ secret: text })

export function createAuthRoutes({ auth, doors, version }: { auth: Auth; doors: Doors; version: string }) {
  /** Sent with the answer that follows. */
  function signedIn(reply: FastifyReply, session: ConsoleSession, kind: ListenerKind): FastifyReply {
    return reply.header('Set-Cookie', cookie(session.secret, session.maxAgeS, kind))
  }

  async function setup(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
    const input = parse(SetUp, isForm ? formBody(request.body) : jsonBody(request.body))
    const kind = doors.of(request)
    if (!isForm) {
      const session = await auth.setUp(input)
      return send(signedIn(reply, session, kind), 200, { account: session.account })
    }
    try {
      const session = await auth.setUp(input)
      return await signedIn(reply, session, kind).redirect('/', 303)
    } catch (error) {
      if (!isAppError(error)) throw error
      return showSetup(reply, input, error)
    }
  }

  return {
    setup,
    async setupPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { secret } = request.query as { secret?: unknown }
      if (typeof secret === 'string' && auth.isSetupSecret(secret)) return showSetup(reply, { secret, name: '' })
      const expired = new AppError('console-setup-expired', 'The setup secret is not valid')
      return showSetup(reply, { secret: '', name: '' }, expired)
    },
    async signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const kind = doors.of(request)
      const input = parse(SignIn, jsonBody(request.body))
      const session = await auth.signIn(input, { address: addressOf(request), listener: kind })
      return send(signedIn(reply, session, kind), 200, { account: session.account })
    },
    async signOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const secret = cookieOf(request.headers.cookie)
      if (secret !== undefined) await auth.signOut(secret)
      return send(reply.header('Set-Cookie', cookie('', 0, doors.of(request))), 200, { ok: true })
    },
    async desktop(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const kind = doors.of(request)
      const { secret } = parse(Desktop, jsonBody(request.body))
      const session = await auth.desktop(secret, { address: addressOf(request), listener: kind })
      return send(signedIn(reply, session, kind), 200, { account: session.account })
    },
    async authState(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const caller = await auth.callerOf(request.headers, doors.of(request))
      const state: AuthState = { setupNeeded: !auth.hasOwner(), account: caller?.account ?? null, version }
      return send(reply, 200, state)
    },
  }
}

function showSetup(reply: FastifyReply, form: { secret: string; name: string }, error?: AppError): FastifyReply {
  const nonce = mintNonce()
  const problem = error && problemText(error)
  const isOver = error?.code === 'console-setup-expired'
  const html = isOver && problem ? messagePage(problem, nonce) : setupPage({ ...form, problem }, nonce)
  return reply
    .code(isOver ? 403 : error ? 400 : 200)
    .headers({ ...pageHeaders(nonce, { forms: !isOver }), 'Cache-Control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(html)
}

/** Strict, so that no other site's page makes the browser send it; Secure where it came over TLS. */
function cookie(value: string, maxAgeS: number, kind: ListenerKind): string {
  const secure = kind === 'tls' ? '; Secure' : ''
  return `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeS}${secure}`
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.join('.') ?? ''
  throw new AppError('server-bad-request', `The field "${where}" is missing or wrong`)
}

function formBody(body: unknown): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(textBody(body)))
}

function problemText({ code }: AppError): { en: string; 'zh-CN': string } {
  const { en, 'zh-CN': zh } = errorTexts[code]
  return { en: `${en.headline}. ${en.next}`, 'zh-CN': `${zh.headline}。${zh.next}` }
}
