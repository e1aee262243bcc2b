import { AppError } from '../../base/app-error.ts'
import { mintSecret, sameSecret } from '../devices/secret.ts'
import type { AccountStore } from '../store/store.ts'
import { hashPassword } from './password.ts'

export interface Ownership {
  hasOwner(): boolean
  /** The one-time secret of the setup address; undefined once an owner exists. */
  setupSecret(): string | undefined
  isSetupSecret(secret: string): boolean
  /** Throws 'console-weak-password', 'console-setup-expired' when an owner exists, 'server-bad-request' for the name. */
  createOwner(name: string, password: string): Promise<void>
}

const shortestPassword = 10

export async function openOwnership(accounts: AccountStore, now: () => number): Promise<Ownership> {
  let owned = (await accounts.count()) > 0
  let setupSecret = owned ? undefined : mintSecret()

  return {
    hasOwner: () => owned,
    setupSecret: () => setupSecret,
    isSetupSecret: (secret) => setupSecret !== undefined && sameSecret(secret, setupSecret),
    async createOwner(name, password) {
      checkNewAccount(name, password)
      const passwordHash = await hashPassword(password)
      // Asked after the slow part, and set before the next one: two forms may have been sent at once.
      if (owned) throw new AppError('console-setup-expired', 'An owner exists already')
      owned = true
      try {
        await accounts.add({ name, role: 'owner', passwordHash, createdAt: now() })
        setupSecret = undefined
      } catch (error) {
        owned = false
        throw error
      }
    },
  }
}

function checkNewAccount(name: string, password: string): void {
  if (!/^[^\p{Cc}]{1,64}$/u.test(name) || name.trim() !== name) {
    throw new AppError('server-bad-request', 'A name has 1 to 64 characters and no blank at its ends')
  }
  if (password.length < shortestPassword || password.length > 256) {
    throw new AppError('console-weak-password', `A password has ${shortestPassword} to 256 characters`)
  }
}
