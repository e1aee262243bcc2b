import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import { createLiveFeed, type LiveItems } from '../../base/live-feed.ts'
import type { Caller, ConsentRequest } from '../../contract/tool-registry.ts'
import { type ToolCall, toolRef, type ToolVersion } from '../../contract/tool.ts'

/** reliability.md C 43. */
export const consentMs = 60_000
/** A model that asks and asks must not bury the one request that a person wants to see. */
const mostWaiting = 4
const shownAnswered = 20

export interface BoundCall {
  readonly deviceId: string
  readonly tool: ToolVersion
  readonly arguments: Readonly<Record<string, unknown>>
  readonly caller: Caller
}

export interface GrantedCall extends BoundCall {
  readonly name: string
  readonly consentId: string
}

/** A person at the console (`id`: the account), or a voice whose turn said the phrase. */
export interface Answerer {
  readonly kind: 'person' | 'turn'
  readonly id: string
}

/** Destructive calls that wait for a person: each bound to device, version and arguments, once, for 60 s. */
export interface Consents {
  /** Asked again for the same, the older request ends. Throws tool-too-many when 4 wait for this device. */
  ask(call: BoundCall): ConsentRequest
  /** Yes runs the bound call once, no ends it (null). Rejects tool-consent-over when it is answered or expired. */
  answer(id: string, yes: boolean, by: Answerer): Promise<ToolCall | null>
  /**
   * Tells that a person spoke or typed to the device in a new turn, and gives the request that those words may answer:
   * the only one that waits there, asked by a turn, with no words since.
   */
  heard(deviceId: string, turnId: string): ConsentRequest | undefined
  /**
   * Resolves with the call that the yes ran; null when nothing ran: a no, expired, asked anew, unknown, closed. Never
   * rejects.
   */
  outcome(id: string): Promise<ToolCall | null>
  list(): ConsentRequest[]
  /** All that wait and the last that were answered, whole at every change. */
  watch(signal?: AbortSignal): LiveItems<ConsentRequest[]>
  close(): void
}

export interface ConsentsOptions {
  readonly clock: Clock
  readonly newId: () => string
  readonly deviceName: (deviceId: string) => string
  readonly run: (call: GrantedCall) => Promise<ToolCall>
}

interface Held {
  request: ConsentRequest
  readonly tool: ToolVersion
  readonly stopTimer: () => void
  readonly outcome: PromiseWithResolvers<ToolCall | null>
  /** Only the next words to the device may answer. */
  isForNextWords: boolean
}

export function createConsents(options: ConsentsOptions): Consents {
  const { clock, run } = options
  const held = new Map<string, Held>()
  const feed = createLiveFeed<ConsentRequest[]>()
  const list = () => [...held.values()].map(({ request }) => request)
  const waitingOn = (deviceId: string) => waitingOf(held, deviceId)

  function set(one: Held, change: Partial<ConsentRequest>): void {
    one.request = { ...one.request, ...change }
    if (one.request.state !== 'waiting') one.stopTimer()
    if (one.request.state === 'refused' || one.request.state === 'expired') one.outcome.resolve(null)
    const answered = [...held.values()].filter((other) => !isWaiting(other))
    for (const old of answered.slice(0, -shownAnswered)) held.delete(old.request.id)
    feed.publish(list())
  }

  function expire(id: string): void {
    const late = held.get(id)
    if (late && isWaiting(late)) set(late, { state: 'expired' })
  }

  return {
    ask(call) {
      const request = requestOf(call, options)
      const waiting = waitingOn(call.deviceId)
      const same = waiting.find(({ request: old }) => isSame(old, request))
      if (same) set(same, { state: 'expired' })
      else if (waiting.length >= mostWaiting) {
        throw new AppError('tool-too-many', `${mostWaiting} calls wait for a yes on this device`)
      }
      const stopTimer = clock.after(consentMs, () => expire(request.id))
      const isForNextWords = call.caller.kind === 'turn'
      const outcome = Promise.withResolvers<ToolCall | null>()
      held.set(request.id, { request, tool: call.tool, stopTimer, isForNextWords, outcome })
      feed.publish(list())
      return request
    },
    async answer(id, yes, by) {
      const one = answerable(held.get(id), clock)
      const answeredBy = by.kind === 'person' ? by.id : 'voice'
      set(one, { state: yes ? 'granted' : 'refused', answeredBy })
      if (!yes) return null
      const done = await runHeld(one, by, run)
      set(one, { state: 'used' })
      return done
    },
    heard: (deviceId, turnId) => wordsCame(waitingOn(deviceId), turnId),
    outcome: async (id) => (await held.get(id)?.outcome.promise) ?? null,
    list,
    watch: (signal) => feed.subscribe(signal, { snapshot: () => list(), key: () => 'all' }),
    close() {
      for (const one of held.values()) {
        one.stopTimer()
        one.outcome.resolve(null)
      }
      feed.close()
    },
  }
}

function answerable(one: Held | undefined, clock: Clock): Held {
  if (!one || !isWaiting(one) || clock.now() >= one.request.expiresAt) {
    throw new AppError('tool-consent-over', 'The request was answered already, or its 60 s are over')
  }
  return one
}

/** The one request that these words may answer; after them no other words may. */
function wordsCame(waiting: readonly Held[], turnId: string): ConsentRequest | undefined {
  const open = waiting.filter(({ isForNextWords, request }) => isForNextWords && request.caller.id !== turnId)
  for (const one of open) one.isForNextWords = false
  return waiting.length === 1 ? open[0]?.request : undefined
}

/** Whoever waits learns how it ended before `used` is told. */
async function runHeld({ request, tool, outcome }: Held, by: Answerer, run: ConsentsOptions['run']): Promise<ToolCall> {
  const { id: consentId, deviceId, arguments: args } = request
  try {
    const done = await run({ deviceId, tool, name: tool.name, arguments: args, caller: by, consentId })
    outcome.resolve(done)
    return done
  } finally {
    outcome.resolve(null)
  }
}

/** Of one device: what waits on it. */
function waitingOf(held: ReadonlyMap<string, Held>, deviceId: string): Held[] {
  return [...held.values()].filter((one) => isWaiting(one) && one.request.deviceId === deviceId)
}

function isWaiting({ request }: Held): boolean {
  return request.state === 'waiting'
}

function requestOf({ deviceId, tool, caller, ...call }: BoundCall, options: ConsentsOptions): ConsentRequest {
  const askedAt = options.clock.now()
  return {
    id: options.newId(),
    deviceId,
    deviceName: options.deviceName(deviceId),
    ref: toolRef(tool),
    arguments: structuredClone(call.arguments),
    caller,
    askedAt,
    expiresAt: askedAt + consentMs,
    state: 'waiting',
    answeredBy: null,
  }
}

function isSame(a: ConsentRequest, b: ConsentRequest): boolean {
  return a.ref === b.ref && a.caller.kind === b.caller.kind && isDeepStrictEqual(a.arguments, b.arguments)
}
