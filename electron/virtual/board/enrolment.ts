import { pause } from '../../base/deadline.ts'
import { createBackoff } from './backoff.ts'
import type { BoardEvent } from './board-events.ts'
import { type BoardServer, provision, type ProvisionOutcome, type ProvisionReply } from './provisioning.ts'

/** What a board knows of its enrolment; `claim` and `token` come from its flash. */
export interface Life {
  reply: ProvisionReply | undefined
  token: string | undefined
  readonly claim: string | undefined
}

export interface EnrolmentOptions {
  readonly id: string
  readonly server: BoardServer
  readonly life: Life
  /** The fields of the request that never change (iotta-protocol §2). */
  readonly facts: Readonly<Record<string, unknown>>
  readonly stopping: AbortSignal
  readonly emit: (event: BoardEvent) => void
  readonly onToken: (token: string) => void
  readonly random: () => number
}

export interface Enrolment {
  /** Tries until enrolled; false when the board was stopped first. Calls at the same time share one try. */
  renew(): Promise<boolean>
  /** Renews at two thirds of each token's life, with its present token (way b), until the board is stopped. */
  keepFresh(): Promise<void>
}

/** Provisioning as a board goes about it: again and again, by the rules of iotta-protocol §2. */
export function createEnrolment(options: EnrolmentOptions): Enrolment {
  const { life, stopping } = options
  let running: Promise<boolean> | undefined
  const renew = () => (running ??= untilEnrolled(options).finally(() => (running = undefined)))
  return {
    renew,
    async keepFresh() {
      while (!stopping.aborted && life.reply) {
        const left = Date.parse(life.reply.token_expires_at) - Date.now()
        await pause(Math.min(Math.max(1_000, (left * 2) / 3), 2 ** 31 - 1), stopping)
        if (!(await renew())) return
      }
    },
  }
}

async function untilEnrolled(options: EnrolmentOptions): Promise<boolean> {
  const { life, stopping, server, facts, random } = options
  const backoff = createBackoff(random)
  let request: string | undefined
  while (!stopping.aborted) {
    const body = {
      ...facts,
      // A claim is for the first time only: later the token is the proof.
      ...(life.claim !== undefined && life.token === undefined ? { claim: life.claim } : {}),
      ...(request === undefined ? {} : { request }),
    }
    const outcome = await provision(server, body, life.token)
    report(options, outcome, request)
    if (outcome.type === 'enrolled') return true
    if (outcome.type === 'pending') request = outcome.request
    // A token that is worthless now leaves the claim, if there is one, as the way in.
    if (outcome.type === 'refused' && outcome.status === 401) life.token = undefined
    const waitMs =
      outcome.type === 'pending' ? outcome.retryMs : backoff.next(outcome.type === 'refused' ? outcome.retryMs : 0)
    await pause(waitMs, stopping)
  }
  return false
}

function report(
  { id, life, emit, onToken }: EnrolmentOptions,
  outcome: ProvisionOutcome,
  request: string | undefined,
): void {
  switch (outcome.type) {
    case 'enrolled':
      life.reply = outcome.reply
      life.token = outcome.reply.token
      onToken(outcome.reply.token)
      return emit({ event: 'provisioned', id, expires: outcome.reply.token_expires_at })
    case 'pending':
      if (outcome.request !== request) emit({ event: 'pending', id, code: outcome.code })
      return
    case 'refused':
      return emit({ event: 'refused', id, status: outcome.status, code: outcome.code, message: outcome.message })
    case 'unreachable':
      return emit({ event: 'unreachable', id, message: outcome.message })
  }
}
