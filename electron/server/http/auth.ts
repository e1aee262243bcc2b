import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../base/app-error.ts'
import type { Account } from '../../contract/server-info.ts'
import { hashSecret, mintSecret, sameSecret } from '../devices/secret.ts'
import type { AccountStore } from '../store/store.ts'
import { createDesktopSessions, desktopAccount } from './desktop-sessions.ts'
import type { ListenerKind } from './listeners.ts'
import { type Ownership, openOwnership } from './ownership.ts'
import { checkPassword, hashPassword } from './password.ts'
import { createSignInLimit } from './sign-in-limit.ts'
import { readBearer } from './upgrade-credentials.ts'

export interface Caller {
  readonly account: Account
  /** Hash of the console session, when a cookie brought it: its end closes the caller's sockets. */
  readonly session: string | undefined
}

export interface Peer {
  readonly address: string
  readonly listener: ListenerKind
}

export interface ConsoleSession {
  readonly account: Account
  /** The cookie's value. */
  readonly secret: string
  readonly maxAgeS: number
}

export interface Auth extends Ownership {
  /** `createOwner` by the setup secret, then signed in. */
  setUp(input: { secret: string; name: string; password: string }): Promise<ConsoleSession>
  /** Throws 'console-wrong-password'; 'console-too-many-tries' with details.retryAfterS while the peer has to wait. */
  signIn(input: { name: string; password: string }, peer: Peer): Promise<ConsoleSession>
  signOut(secret: string): Promise<void>
  /** The desktop window's secret of this start, on loopback only. Throws 'console-sign-in-needed'. */
  desktop(secret: string, peer: Peer): Promise<ConsoleSession>
  /** Who sends these headers; undefined = nobody that we know. */
  callerOf(headers: IncomingHttpHeaders, listener: ListenerKind): Promise<Caller | undefined>
  onSessionEnded(listener: (session: string) => void): void
}

export interface AuthOptions {
  readonly accounts: AccountStore
  /** Counts as the owner on loopback, as a bearer token (run.json). */
  readonly runSecret?: string | undefined
  readonly desktopSecret?: string | undefined
  readonly now?: () => number
  readonly monotonic?: () => number
}

export const sessionCookie = 'roost_session'
const sessionLifeMs = 30 * 24 * 3_600_000
// One derivation takes 32 MiB: a crowd that guesses must not take the machine.
const derivationsAtOnce = 4

export async function openAuth(options: AuthOptions): Promise<Auth> {
  const { accounts, runSecret, desktopSecret } = options
  const { now = Date.now, monotonic = () => performance.now() } = options
  const ownership = await openOwnership(accounts, now)
  const limit = createSignInLimit(monotonic)
  const endListeners: ((session: string) => void)[] = []
  const derivation = createTurnstile(derivationsAtOnce)
  const desktops = createDesktopSessions(desktopSecret)

  async function startSession(name: string): Promise<ConsoleSession> {
    const secret = mintSecret()
    const expiresAt = now() + sessionLifeMs
    await accounts.putSession({ hash: hashSecret(secret), account: name, createdAt: now(), expiresAt })
    return { account: { name, role: 'owner' }, secret, maxAgeS: sessionLifeMs / 1000 }
  }

  return {
    ...ownership,
    async setUp({ secret, name, password }) {
      if (!ownership.isSetupSecret(secret)) throw new AppError('console-setup-expired', 'The setup secret is not valid')
      await ownership.createOwner(name, password)
      return startSession(name)
    },
    async signIn({ name, password }, peer) {
      const key = `${peer.listener} ${peerGroup(peer.address)}`
      const retryAfterS = limit.wait(key)
      if (retryAfterS > 0) throw tooManyTries(retryAfterS)
      const row = await accounts.get(name)
      // An unknown name costs the same time as a wrong password.
      const right = await derivation(async () => checkPassword(password, row?.passwordHash ?? (await decoyHash())))
      if (!row || !right) {
        limit.fail(key)
        throw new AppError('console-wrong-password', 'Name or password is wrong')
      }
      limit.succeed(key)
      return startSession(row.name)
    },
    async signOut(secret) {
      const hash = hashSecret(secret)
      desktops.end(hash)
      await accounts.removeSession(hash)
      endListeners.forEach((listener) => listener(hash))
    },
    async desktop(secret, { listener }) {
      return { account: desktopAccount, secret: desktops.open(secret, listener), maxAgeS: sessionLifeMs / 1000 }
    },
    async callerOf(headers, listener) {
      const token = readBearer(headers.authorization)
      if (token !== undefined && listener === 'loopback' && runSecret !== undefined && sameSecret(token, runSecret)) {
        // It counts as the owner: what it begins, the owner goes on with.
        return { account: { name: (await accounts.owner()) ?? 'local', role: 'owner' }, session: undefined }
      }
      const secret = cookieOf(headers.cookie)
      if (secret === undefined) return undefined
      const hash = hashSecret(secret)
      if (desktops.has(hash, listener)) return { account: desktopAccount, session: hash }
      const row = await accounts.session(hash)
      if (!row || row.expiresAt <= now()) return undefined
      return { account: { name: row.account, role: 'owner' }, session: hash }
    },
    onSessionEnded: (listener) => void endListeners.push(listener),
  }
}

/** The value of our cookie; undefined when it is missing or no secret of ours. */
export function cookieOf(header: string | undefined): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2)
    if (name === sessionCookie && value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value)) return value
  }
  return undefined
}

let decoy: Promise<string> | undefined
function decoyHash(): Promise<string> {
  return (decoy ??= hashPassword(mintSecret()))
}

/** One machine may hold a whole IPv6 /64. */
function peerGroup(address: string): string {
  return address.includes(':') && address !== '::1' ? address.split(':').slice(0, 4).join(':') : address
}

function tooManyTries(retryAfterS: number): AppError {
  return new AppError('console-too-many-tries', `Too many tries: wait ${retryAfterS} s`, { details: { retryAfterS } })
}

function createTurnstile(atOnce: number) {
  let running = 0
  return async function pass<T>(task: () => Promise<T>): Promise<T> {
    if (running >= atOnce) throw tooManyTries(1)
    running += 1
    try {
      return await task()
    } finally {
      running -= 1
    }
  }
}
