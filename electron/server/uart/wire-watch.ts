import type { UartSession } from '../../contract/uart.ts'
import { guessBaud } from '../../contract/uart-baud.ts'
import { answerLimitMs } from '../../contract/uart-wire.ts'
import type { PairingFigures } from './call-pairing.ts'

type Hints = UartSession['hints']

/** What the wire looks like from outside: a wrong speed, a line that is silent, a far end that is slow (ux.md C12). */
export interface WireWatch {
  /** Bytes that came, before they are lines. `at`: ms. */
  bytes(bytes: Uint8Array, at: number): void
  /** A line that somebody understood. */
  understood(): void
  sent(at: number): void
  setBaud(baud: number): void
  hints(at: number, figures: PairingFigures): Hints
}

const silenceMs = 5_000
const gapMs = 20
const longestSample = 256

export function createWireWatch(firstBaud: number): WireWatch {
  let baud = firstBaud
  let lastAt = -Infinity
  let unansweredSince: number | undefined
  let heard = false
  let guess: number | undefined
  let sample: number[] = []
  let isNew = false

  /** Looked at when somebody asks, not with each block of bytes that comes. */
  function look(): number | undefined {
    if (isNew && sample.length > 0) guess = guessBaud(Uint8Array.from(sample), baud) ?? guess
    isNew = false
    return guess
  }

  return {
    bytes(bytes, at) {
      heard = true
      unansweredSince = undefined
      // A guess needs the first bytes after a silence: only there a start bit is sure to be one.
      if (at - lastAt > gapMs) sample = []
      lastAt = at
      if (sample.length >= longestSample) return
      sample.push(...bytes.subarray(0, longestSample - sample.length))
      isNew = true
    },
    understood() {
      guess = undefined
      sample = []
    },
    sent(at) {
      if (!heard) unansweredSince ??= at
    },
    setBaud(speed) {
      baud = speed
      guess = undefined
      sample = []
      heard = false
      unansweredSince = undefined
    },
    hints(at, figures) {
      const hints: Hints = []
      const speed = look()
      if (speed !== undefined) hints.push({ code: 'uart-baud-guess', detail: String(speed) })
      if (unansweredSince !== undefined && at - unansweredSince >= silenceMs)
        hints.push({ code: 'uart-silent-line', detail: String(Math.floor((at - unansweredSince) / 1000)) })
      if (figures.slowestMs !== null && figures.slowestMs > answerLimitMs)
        hints.push({ code: 'uart-slow-mcu', detail: String(Math.round(figures.slowestMs)) })
      return hints
    },
  }
}
