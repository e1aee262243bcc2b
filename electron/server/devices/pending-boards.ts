import { randomInt } from 'node:crypto'
import type { Firmware, PendingBoard } from '../../contract/device.ts'
import { hashSecret, mintSecret } from './secret.ts'

export interface Applicant {
  readonly deviceId: string
  readonly board: string
  readonly firmware: Firmware
  readonly address: string
  readonly knownDevice: boolean
}

export type PendingState = 'waiting' | 'approved' | 'rejected'

/** What a board holds after its 202: six digits for people, and the secret that only it knows. */
export interface PendingTicket {
  readonly code: string
  readonly request: string
}

export interface PendingBoards {
  /** Undefined when the list is full, or this address has its share of it. */
  add(applicant: Applicant): PendingTicket | undefined
  /** What became of this request of this device; undefined = unknown or expired. */
  look(request: string, deviceId: string): { readonly code: string; readonly state: PendingState } | undefined
  /** Ends the request: an approved one gives one token, once. */
  take(request: string): void
  /** False when no board waits with this code. */
  decide(code: string, state: 'approved' | 'rejected'): boolean
  /** Those still waiting for a person, oldest first. */
  list(): PendingBoard[]
}

interface Entry extends Applicant {
  readonly code: string
  readonly since: number
  state: PendingState
}

const limit = 100
/** Of one address, also of loopback: whoever makes up ids must not keep all others out. */
const limitPerAddress = 20
const lifeMs = 15 * 60_000

/** Boards that ask to join (iotta-protocol.md §2 d): 100 at most, 20 per address, 15 min each. `now` is monotonic ms. */
export function createPendingBoards(now: () => number): PendingBoards {
  const byRequest = new Map<string, Entry>()

  function sweep(): void {
    for (const [hash, entry] of byRequest) if (now() - entry.since >= lifeMs) byRequest.delete(hash)
  }

  function freshCode(): string {
    const taken = new Set([...byRequest.values()].map((entry) => entry.code))
    let code: string
    do code = randomInt(1_000_000).toString().padStart(6, '0')
    while (taken.has(code))
    return code
  }

  function isFull(address: string): boolean {
    const same = [...byRequest.values()].filter((entry) => entry.address === address && entry.state === 'waiting')
    return byRequest.size >= limit || same.length >= limitPerAddress
  }

  function describe(entry: Entry): PendingBoard {
    const { code, deviceId, board, firmware, address, knownDevice, since } = entry
    const same = [...byRequest.values()].filter((other) => other.deviceId === deviceId && other.state === 'waiting')
    const ageMs = now() - since
    return {
      code,
      deviceId,
      board,
      firmware,
      address,
      knownDevice,
      ageMs,
      expiresInMs: lifeMs - ageMs,
      duplicates: same.length - 1,
    }
  }

  return {
    add(applicant) {
      sweep()
      if (isFull(applicant.address)) return undefined
      const ticket = { code: freshCode(), request: mintSecret() }
      byRequest.set(hashSecret(ticket.request), { ...applicant, code: ticket.code, since: now(), state: 'waiting' })
      return ticket
    },
    look(request, deviceId) {
      sweep()
      const entry = byRequest.get(hashSecret(request))
      return entry?.deviceId === deviceId ? entry : undefined
    },
    take: (request) => void byRequest.delete(hashSecret(request)),
    decide(code, state) {
      sweep()
      const entry = [...byRequest.values()].find((one) => one.code === code && one.state === 'waiting')
      if (entry) entry.state = state
      return entry !== undefined
    },
    list() {
      sweep()
      return [...byRequest.values()].filter((entry) => entry.state === 'waiting').map(describe)
    },
  }
}
