import { AppError } from '../../base/app-error.ts'
import type { Account } from '../../contract/server-info.ts'
import { hashSecret, mintSecret, sameSecret } from '../devices/secret.ts'
import type { ListenerKind } from './listeners.ts'

export const desktopAccount: Account = { name: 'desktop', role: 'owner' }

export interface DesktopSessions {
  /** Trades the secret of this start for a session. Throws 'console-sign-in-needed'. */
  open(secret: string, listener: ListenerKind): string
  has(hash: string, listener: ListenerKind): boolean
  end(hash: string): void
}

const kept = 64

/** The desktop window has no account; its sessions are worth something on loopback, until the server stops. */
export function createDesktopSessions(expected: string | undefined): DesktopSessions {
  const hashes = new Set<string>()
  return {
    open(secret, listener) {
      if (expected === undefined || listener !== 'loopback' || !sameSecret(secret, expected)) {
        throw new AppError('console-sign-in-needed', 'The secret is not valid here')
      }
      const session = mintSecret()
      hashes.add(hashSecret(session))
      for (const oldest of hashes) {
        if (hashes.size <= kept) break
        hashes.delete(oldest)
      }
      return session
    },
    has: (hash, listener) => listener === 'loopback' && hashes.has(hash),
    end: (hash) => void hashes.delete(hash),
  }
}
