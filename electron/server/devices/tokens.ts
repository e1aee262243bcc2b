import type { CredentialStore, TokenRow } from '../store/store.ts'
import { hashSecret } from './secret.ts'

export type TokenRefusal = 'unauthorized' | 'token_expired' | 'token_revoked' | 'wrong_device'

export type TokenVerdict =
  | { readonly ok: true; readonly row: TokenRow }
  | { readonly ok: false; readonly reason: TokenRefusal; readonly row?: TokenRow }

export interface Tokens {
  /**
   * Is this a live token of this device (`undefined`: of whichever it was given to)? The secret is looked up by its
   * hash, so no byte of it is ever compared.
   */
  verify(token: string, deviceId: string | undefined): Promise<TokenVerdict>
  /** First use stamps the token and ends the claim that gave it (iotta-protocol.md §2 a). */
  markUsed(row: TokenRow): Promise<void>
  /** What the store says about this device may have changed: answers from memory are void. */
  invalidate(deviceId: string): void
}

const cachedRows = 4096

export function createTokens(options: { credentials: CredentialStore; now: () => number }): Tokens {
  const { credentials, now } = options
  const cache = new Map<string, TokenRow>()
  let generation = 0

  async function find(hash: string): Promise<TokenRow | undefined> {
    const known = cache.get(hash)
    if (known) return known
    const asked = generation
    const row = await credentials.token(hash)
    // A row that was read before a revocation must not outlive it in memory.
    if (row && asked === generation) remember(row)
    return row
  }

  function remember(row: TokenRow): void {
    cache.set(row.hash, row)
    for (const oldest of cache.keys()) {
      if (cache.size <= cachedRows) break
      cache.delete(oldest)
    }
  }

  return {
    async verify(token, deviceId) {
      const row = await find(hashSecret(token))
      if (!row) return { ok: false, reason: 'unauthorized' }
      if (deviceId !== undefined && row.deviceId !== deviceId) return { ok: false, reason: 'wrong_device', row }
      if (row.revokedAt !== null) return { ok: false, reason: 'token_revoked', row }
      if (row.expiresAt <= now()) return { ok: false, reason: 'token_expired', row }
      return { ok: true, row }
    },
    async markUsed(row) {
      if (row.firstUsedAt !== null) return
      const at = now()
      const asked = generation
      await credentials.markUsed(row.hash, at)
      if (asked === generation) remember({ ...row, firstUsedAt: at })
    },
    invalidate(deviceId) {
      generation++
      for (const [hash, row] of cache) if (row.deviceId === deviceId) cache.delete(hash)
    },
  }
}
