import type { Log } from '../../base/log.ts'
import type { Devices } from './devices.ts'
import type { Asking, Grants, ProvisionOutcome, ProvisionRefusal } from './grants.ts'
import type { PendingBoards } from './pending-boards.ts'
import type { RateLimit } from './rate-limit.ts'

export interface Applications {
  /** (d): a person decides; only the holder of the request secret gets the token, once. */
  ask(asking: Asking): Promise<ProvisionOutcome>
  /** A refusal that counts as a failed credential, or "too many" once there were enough of them. */
  refuse(asking: Asking, code: ProvisionRefusal): ProvisionOutcome
}

export interface ApplicationsOptions {
  readonly pending: PendingBoards
  readonly devices: Devices
  readonly grants: Grants
  readonly rateLimit: RateLimit
  readonly log: Log
  /** Mode `claim`: nobody may ask. */
  readonly closed: boolean
  readonly onChange: () => void
}

const retryAfterS = 5

export function createApplications(options: ApplicationsOptions): Applications {
  const { pending, devices, grants, rateLimit, log, closed, onChange } = options

  /** New requests count like failures: a board that forgets its `request` cannot fill the list. */
  function limited(asking: Asking): ProvisionOutcome | undefined {
    const attempt = { address: asking.address, deviceId: asking.body.device_id }
    const wait = rateLimit.retryAfter(attempt)
    if (wait !== undefined) return { result: 'too_many', retryAfterS: wait }
    rateLimit.fail(attempt)
    return undefined
  }

  function refuse(asking: Asking, code: ProvisionRefusal): ProvisionOutcome {
    const { address, body } = asking
    log.warn('enrolment refused', { deviceId: body.device_id, address, code })
    return limited(asking) ?? { result: 'refused', code }
  }

  function apply(asking: Asking): ProvisionOutcome {
    if (closed) return refuse(asking, 'claim_unknown')
    const tooMany = limited(asking)
    if (tooMany) return tooMany
    const { body, address } = asking
    const knownDevice = devices.row(body.device_id) !== undefined
    const { device_id: deviceId, board, fw: firmware } = body
    const ticket = pending.add({ deviceId, board, firmware, address, knownDevice })
    if (!ticket) return { result: 'too_many', retryAfterS: 60 }
    log.info('board asks to join', { deviceId, address, knownDevice })
    onChange()
    return { result: 'pending', ...ticket, retryAfterS }
  }

  return {
    refuse,
    async ask(asking) {
      const secret = asking.body.request
      const found = secret === undefined ? undefined : pending.look(secret, asking.body.device_id)
      if (secret === undefined || !found) return apply(asking)
      if (found.state === 'waiting') return { result: 'pending', code: found.code, request: secret, retryAfterS }
      pending.take(secret)
      if (found.state === 'rejected') return { result: 'refused', code: 'rejected' }
      // A person said that this board is the device: whatever else holds its id is out.
      return grants.give(asking, 'approval', { revoke: 'all' })
    },
  }
}
