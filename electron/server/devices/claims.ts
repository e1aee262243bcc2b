import type { ClaimRow, CredentialStore } from '../store/store.ts'
import { hashSecret, mintSecret } from './secret.ts'

export type ClaimVerdict =
  | { readonly ok: true; readonly claim: ClaimRow }
  | { readonly ok: false; readonly reason: 'claim_unknown' | 'claim_other_device' }

export interface Claims {
  /** A one-time enrolment secret for one plan; `deviceId` binds it from the start (the MAC that the flasher read). */
  make(plan: { deviceId?: string | undefined; name?: string | undefined; virtual?: boolean }): Promise<string>
  /** Binds an unbound claim to this id; any other id is refused from then on (iotta-protocol.md §2 a). */
  present(claim: string, deviceId: string): Promise<ClaimVerdict>
}

const lifeMs = 30 * 24 * 3_600_000

export function createClaims(options: { credentials: CredentialStore; now: () => number }): Claims {
  const { credentials, now } = options

  function usable(row: ClaimRow | undefined): row is ClaimRow {
    return row !== undefined && row.usedAt === null && row.expiresAt > now()
  }

  return {
    async make({ deviceId, name, virtual = false }) {
      const claim = mintSecret()
      await credentials.putClaim({
        hash: hashSecret(claim),
        deviceId: deviceId?.toLowerCase() ?? null,
        createdAt: now(),
        expiresAt: now() + lifeMs,
        usedAt: null,
        virtual,
        name: name ?? null,
      })
      return claim
    },
    async present(claim, deviceId) {
      const hash = hashSecret(claim)
      const row = await credentials.claim(hash)
      if (!usable(row)) return { ok: false, reason: 'claim_unknown' }
      if (row.deviceId === null) await credentials.bindClaim(hash, deviceId)
      // Read again: two boards may have presented it at once, and the store keeps the first.
      const bound = row.deviceId === null ? await credentials.claim(hash) : row
      if (!usable(bound)) return { ok: false, reason: 'claim_unknown' }
      return bound.deviceId === deviceId ? { ok: true, claim: bound } : { ok: false, reason: 'claim_other_device' }
    },
  }
}
