import type { Log } from '../../base/log.ts'
import type { EnrolmentWay } from '../../contract/device.ts'
import type { ClaimRow, CredentialStore, DeviceRow, TokenRow } from '../store/store.ts'
import type { Issue } from './device-access.ts'
import type { Devices } from './devices.ts'
import type { ProvisionRequest } from './provision-wire.ts'
import { hashSecret, mintSecret } from './secret.ts'

export type ProvisionRefusal = 'claim_unknown' | 'claim_other_device' | 'rejected' | 'blocked'

export type ProvisionOutcome =
  | { readonly result: 'enrolled'; readonly token: string; readonly expiresAt: number; readonly device: DeviceRow }
  | { readonly result: 'pending'; readonly code: string; readonly request: string; readonly retryAfterS: number }
  | { readonly result: 'too_many'; readonly retryAfterS: number }
  | { readonly result: 'refused'; readonly code: ProvisionRefusal }

/** One provisioning request: what was sent, and from where. */
export interface Asking {
  readonly body: ProvisionRequest
  readonly address: string
  /** The bearer token of the request, when it had one. */
  readonly token: string | undefined
}

export interface Terms {
  readonly claim?: ClaimRow
  readonly revoke: Issue['revoke']
}

export interface Grants {
  /** Gives a fresh token and writes the device. */
  give(asking: Asking, way: EnrolmentWay, terms: Terms): Promise<ProvisionOutcome>
  /** (b): the board's present token, or the newest that it ever used if that has expired. Undefined = no proof. */
  renew(asking: Asking): Promise<ProvisionOutcome | undefined>
}

export interface GrantsOptions {
  readonly devices: Devices
  readonly credentials: CredentialStore
  readonly log: Log
  readonly now: () => number
  readonly tokenLifeMs: number
  /** How long an expired token still proves its board. */
  readonly renewableMs: number
}

export function createGrants(options: GrantsOptions): Grants {
  const { devices, credentials, log, now, tokenLifeMs, renewableMs } = options

  async function give(asking: Asking, way: EnrolmentWay, terms: Terms): Promise<ProvisionOutcome> {
    const token = mintSecret()
    const device = enrolledRow(asking, { way, terms, before: devices.row(asking.body.device_id), at: now() })
    const row: TokenRow = {
      hash: hashSecret(token),
      deviceId: device.id,
      issuedAt: now(),
      expiresAt: now() + tokenLifeMs,
      revokedAt: null,
      firstUsedAt: null,
      claimHash: terms.claim?.hash ?? null,
    }
    await devices.issue({ device, token: row, revoke: terms.revoke })
    devices.noteProvision(device.id, asking.address)
    log.info('device enrolled', { deviceId: device.id, way, address: asking.address })
    return { result: 'enrolled', token, expiresAt: row.expiresAt, device }
  }

  /** An expired token is not the newest one once the board has used another that was given later. */
  async function wasReplaced(row: TokenRow): Promise<boolean> {
    const all = await credentials.tokensOf(row.deviceId)
    return all.some((other) => other.issuedAt > row.issuedAt && other.firstUsedAt !== null)
  }

  return {
    give,
    async renew(asking) {
      const id = asking.body.device_id
      if (asking.token === undefined || !devices.row(id)) return undefined
      const hash = hashSecret(asking.token)
      const row = await credentials.token(hash)
      if (row?.deviceId !== id || row.revokedAt !== null) return undefined
      const expired = row.expiresAt <= now()
      if (expired && (row.expiresAt + renewableMs <= now() || (await wasReplaced(row)))) return undefined
      if (row.firstUsedAt === null) await credentials.markUsed(hash, now())
      return give(asking, 'token', { revoke: expired ? { exceptHash: hash } : 'none' })
    },
  }
}

interface RowFacts {
  readonly way: EnrolmentWay
  readonly terms: Terms
  readonly before: DeviceRow | undefined
  readonly at: number
}

function enrolledRow({ body, address }: Asking, { way, terms, before, at }: RowFacts): DeviceRow {
  const { claim } = terms
  return {
    id: body.device_id,
    name: claim?.name ?? before?.name ?? `${body.board} ${body.device_id.slice(-5)}`.slice(0, 64),
    board: body.board,
    firmware: body.fw,
    virtual: claim?.virtual ?? before?.virtual ?? false,
    blocked: before?.blocked ?? false,
    // A renewal is no new way in.
    enrolledBy: way === 'token' && before ? before.enrolledBy : way,
    createdAt: before?.createdAt ?? at,
    lastSeenAt: at,
    lastAddress: address,
  }
}
