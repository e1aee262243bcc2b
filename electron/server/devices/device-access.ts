import type { Log } from '../../base/log.ts'
import type { CredentialStore, DeviceRow, TokenRow } from '../store/store.ts'
import type { AccessEnded, DeviceEvents } from './device-events.ts'
import type { DeviceRecords } from './device-records.ts'
import { type TokenRefusal, createTokens } from './tokens.ts'

export type Access =
  | {
      readonly ok: true
      readonly device: DeviceRow
      readonly tokenHash: string
      /** False once access of this device ended after the check: ask again right before the channel opens. */
      current(): boolean
    }
  /** `tokenIsGood`: refused by policy, which is no guess and counts against nobody. */
  | { readonly ok: false; readonly reason: TokenRefusal | 'blocked'; readonly tokenIsGood: boolean }

export interface Issue {
  readonly device: DeviceRow
  readonly token: TokenRow
  readonly revoke: 'all' | 'none' | { readonly exceptHash: string }
}

export interface DeviceAccess {
  /**
   * Checks a device token (by hash), then policy. The first good use is stamped before it resolves. Without an id the
   * token says whose it is.
   */
  authenticate(id: string | undefined, token: string): Promise<Access>
  /** Writes device and token in one transaction and ends what that revokes. */
  issue(issue: Issue): Promise<void>
  block(id: string, blocked: boolean): Promise<void>
  /** Ends every token; the device stays known and has to prove itself anew. */
  revoke(id: string): Promise<void>
  /** Removes device and tokens; afterwards the id counts as never seen. */
  forget(id: string): Promise<void>
  /** Every channel of the device closes with 4401. */
  end(ended: AccessEnded): void
}

export interface DeviceAccessOptions {
  readonly credentials: CredentialStore
  readonly records: DeviceRecords
  readonly events: DeviceEvents
  readonly log: Log
  readonly now: () => number
}

// iotta-protocol.md §2: the oldest of more goes first.
const tokensADevice = 4

export function createDeviceAccess(options: DeviceAccessOptions): DeviceAccess {
  const { credentials, records, events, log, now } = options
  const tokens = createTokens({ credentials, now })
  // Ends are numbered, so that a check which began before one cannot pass after it.
  const lastEnd = new Map<string, number>()
  let ends = 0

  function end(ended: AccessEnded): void {
    lastEnd.set(ended.deviceId, ++ends)
    tokens.invalidate(ended.deviceId)
    log.info('access ended', { deviceId: ended.deviceId, reason: ended.reason })
    events.emit('accessEnded', ended)
    events.emit('changed', ended.deviceId)
  }

  return {
    end,
    async authenticate(claimedId, token) {
      const started = ends
      const verdict = await tokens.verify(token, claimedId)
      if (!verdict.ok) return { ok: false, reason: verdict.reason, tokenIsGood: false }
      const id = verdict.row.deviceId
      const device = records.find(id)
      if (!device) return { ok: false, reason: 'unauthorized', tokenIsGood: false }
      if (device.row.blocked) return { ok: false, reason: 'blocked', tokenIsGood: true }
      await tokens.markUsed(verdict.row)
      const current = () => (lastEnd.get(id) ?? 0) <= started
      return { ok: true, device: device.row, tokenHash: verdict.row.hash, current }
    },
    async issue({ device, token, revoke }) {
      const { revoked } = await credentials.issue({ device, token, revoke, keep: tokensADevice })
      records.put(device)
      tokens.invalidate(device.id)
      // What only fell off the end of the list leaves the device with a valid token, so its channels stay.
      if (revoke !== 'none' && revoked.length > 0) {
        end({ deviceId: device.id, tokenHashes: revoked, reason: 'revoked' })
      }
    },
    async block(id, blocked) {
      records.known(id)
      await records.update(id, { blocked })
      if (blocked) end({ deviceId: id, tokenHashes: 'all', reason: 'blocked' })
    },
    async revoke(id) {
      records.known(id)
      await credentials.revokeAll(id, now())
      end({ deviceId: id, tokenHashes: 'all', reason: 'revoked' })
    },
    async forget(id) {
      records.known(id)
      await records.remove(id)
      end({ deviceId: id, tokenHashes: 'all', reason: 'forgotten' })
      events.emit('forgotten', id)
    },
  }
}
