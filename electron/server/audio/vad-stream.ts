import { heardRate, joinSamples } from './audio-format.ts'
import {
  beginEndpoint,
  type EndpointEvent,
  type EndpointInput,
  type EndpointSettings,
  stepEndpoint,
} from './endpoint-machine.ts'
import { beginEnergyGate, stepEnergyGate } from './energy-gate.ts'
import { windowSamples } from './vad-messages.ts'

/** Voice detection of one session: audio in, beginnings and ends of utterances out. */
export interface VadStream {
  /** 16 kHz mono, any length. */
  push(pcm: Int16Array): void
  /** One event of each kind at most until `reset`; after an end, a cut or a time-out nothing follows. */
  onEvent(listener: (event: EndpointEvent) => void): void
  /** From now on, for this utterance: ends it at once when the silence is that long already. */
  setHangover(ms: number): void
  /** A new utterance: the clock is 0 again, the hangover is the default; answers under way are forgotten. */
  reset(): void
  close(): void
}

/** What `vad.ts` needs of its streams. */
export interface HeardStream extends VadStream {
  /** Answers of the model, in order. Those of another epoch are too late. */
  heard(epoch: number, probabilities: readonly number[]): void
  /** The model is away: what it owes is answered by level. */
  away(): void
  /** Since when (performance.now) the model owes an answer. */
  readonly waitingSince: number | undefined
}

export interface StreamPort {
  /** False when the model is away. */
  send(epoch: number, windows: Int16Array): boolean
  left(): void
}

export function createVadStream(settings: EndpointSettings, port: StreamPort): HeardStream {
  const listeners = new Set<(event: EndpointEvent) => void>()
  let endpoint = beginEndpoint(settings)
  let rest = new Int16Array()
  let epoch = 0
  let closed = false
  const debts = createDebts()

  function step(input: EndpointInput): void {
    const [next, event] = stepEndpoint(endpoint, input, settings)
    endpoint = next
    if (event) for (const listener of listeners) listener(event)
  }

  /** A listener may reset or close in the middle: the rest then belongs to a past utterance. */
  function hear(probabilities: readonly number[]): void {
    const ours = epoch
    for (const probability of probabilities) {
      if (epoch === ours && !closed) step({ type: 'window', probability })
    }
  }

  const away = () => hear(debts.take(Infinity))

  return {
    push(pcm) {
      if (closed || endpoint.at === 'over') return
      const all = joinSamples([rest, pcm])
      const whole = all.length - (all.length % windowSamples)
      rest = all.slice(whole)
      if (whole === 0) return
      debts.note(all.subarray(0, whole))
      if (!port.send(epoch, all.slice(0, whole))) away()
    },
    heard(ofEpoch, probabilities) {
      if (ofEpoch !== epoch || closed) return
      // An answer to what was meanwhile answered by level: its place on the clock is taken.
      hear(probabilities.slice(0, debts.take(probabilities.length).length))
    },
    away,
    get waitingSince() {
      return debts.since
    },
    onEvent: (listener) => void listeners.add(listener),
    setHangover: (ms) => step({ type: 'hangover', ms }),
    reset() {
      epoch++
      debts.take(Infinity)
      rest = new Int16Array()
      endpoint = beginEndpoint(settings)
    },
    close() {
      if (closed) return
      closed = true
      listeners.clear()
      port.left()
    },
  }
}

/** What the level says of each window that the model still owes, oldest first. */
function createDebts() {
  let gate = beginEnergyGate()
  let owed: { readonly byLevel: number; readonly sentAt: number }[] = []
  return {
    get since() {
      return owed[0]?.sentAt
    },
    note(windows: Int16Array): void {
      const sentAt = performance.now()
      for (let at = 0; at < windows.length; at += windowSamples) {
        const heard = stepEnergyGate(gate, windows.subarray(at, at + windowSamples), heardRate)
        gate = heard.gate
        owed.push({ byLevel: heard.probability, sentAt })
      }
    },
    take(count: number): number[] {
      const taken = owed.slice(0, count)
      owed = owed.slice(count)
      return taken.map((window) => window.byLevel)
    },
  }
}
