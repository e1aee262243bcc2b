import { AppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { PendingBoard } from '../../contract/device.ts'
import type { CredentialStore } from '../store/store.ts'
import { createApplications } from './applications.ts'
import type { Claims } from './claims.ts'
import type { Devices } from './devices.ts'
import { type EnrolmentMode, createEnrolmentWindow } from './enrolment-window.ts'
import { type Asking, type ProvisionOutcome, createGrants } from './grants.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { createPendingBoards } from './pending-boards.ts'
import type { RateLimit } from './rate-limit.ts'

export interface Enrolment {
  /** Who may enrol, in the order of iotta-protocol.md §2. */
  provision(asking: Asking): Promise<ProvisionOutcome>
  pending(): PendingBoard[]
  /** Throws 'server-not-found' when no board waits with this code. */
  approve(code: string): void
  reject(code: string): void
  /** Opens the window (c) for that long; 0 closes it. */
  openWindow(minutes: number): void
  status(): { mode: EnrolmentMode; openUntil: number | null }
  onChange(listener: () => void): void
}

export interface EnrolmentOptions {
  readonly devices: Devices
  readonly claims: Claims
  readonly credentials: CredentialStore
  readonly rateLimit: RateLimit
  readonly mode: EnrolmentMode
  readonly log: Log
  /** Default 24 h. */
  readonly tokenLifeMs?: number
  /** How long an expired token still proves its board; default 180 days. */
  readonly renewableMs?: number
  readonly now?: () => number
  readonly monotonic?: () => number
}

const dayMs = 24 * 3_600_000

export function createEnrolment(options: EnrolmentOptions): Enrolment {
  const { devices, claims, credentials, rateLimit, mode, log } = options
  const { now = Date.now, monotonic = () => performance.now() } = options
  const { tokenLifeMs = dayMs, renewableMs = 180 * dayMs } = options
  const listeners: (() => void)[] = []
  const changed = () => listeners.forEach((listener) => listener())

  const oneAtATime = createKeyedQueue()
  const window = createEnrolmentWindow(mode, { now, monotonic, onEnd: changed })
  const pending = createPendingBoards(monotonic)
  const grants = createGrants({ devices, credentials, log, now, tokenLifeMs, renewableMs })
  const closed = mode === 'claim'
  const applications = createApplications({ pending, devices, grants, rateLimit, log, closed, onChange: changed })

  async function decide(asking: Asking): Promise<ProvisionOutcome> {
    const { claim, device_id: id } = asking.body
    if (devices.row(id)?.blocked) return { result: 'refused', code: 'blocked' }
    const shown = claim === undefined ? undefined : await claims.present(claim, id)
    if (shown?.ok) return grants.give(asking, 'claim', { claim: shown.claim, revoke: 'all' })
    if (shown?.reason === 'claim_other_device') return applications.refuse(asking, shown.reason)
    const renewed = await grants.renew(asking)
    if (renewed) return renewed
    // A claim that is over stays in the board's settings; alone it proves nothing and opens nothing.
    if (shown) return applications.refuse(asking, 'claim_unknown')
    const credentialsHeld = await credentials.tokensOf(id)
    if (window.isOpen() && credentialsHeld.length === 0) return grants.give(asking, 'window', { revoke: 'none' })
    return applications.ask(asking)
  }

  function settle(code: string, state: 'approved' | 'rejected'): void {
    if (!pending.decide(code, state)) {
      throw new AppError('server-not-found', `No board waits with the code ${code}`)
    }
    changed()
  }

  return {
    // In order per device, and per claim, so that two boards with one claim cannot both be first.
    provision: (asking) =>
      oneAtATime(`device ${asking.body.device_id}`, () =>
        asking.body.claim === undefined
          ? decide(asking)
          : oneAtATime(`claim ${asking.body.claim}`, () => decide(asking)),
      ),
    pending: () => pending.list(),
    approve: (code) => settle(code, 'approved'),
    reject: (code) => settle(code, 'rejected'),
    openWindow(minutes) {
      window.open(minutes)
      changed()
    },
    status: () => ({ mode, openUntil: window.openUntil() }),
    onChange: (listener) => void listeners.push(listener),
  }
}
