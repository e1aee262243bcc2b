import { answerLimitMs } from '../../contract/uart-wire.ts'
import type { ReadLine } from './line-view.ts'

export interface Paired {
  readonly turnId: string | null
  /** For an answer: ms since its call. */
  readonly latencyMs: number | null
  /** An answer that belongs to no call. */
  readonly late: boolean
}

export interface PairingFigures {
  readonly timeouts: number
  readonly lateAnswers: number
  /** Of the last answers; null before the first. */
  readonly p50Ms: number | null
  /** Of the slowest of the late ones that followed a time-out; null when none did. */
  readonly slowestMs: number | null
}

export interface CallPairing {
  /** `at`: ms. `turnId`: of a call that we send ourselves. */
  line(line: ReadLine, at: number, turnId: string | null): Paired
  /** The call in flight is given up when its time is over; true when one was. */
  expire(at: number): boolean
  figures(): PairingFigures
}

const lastAnswers = 500

/** Joins answers with calls by their order: there are no ids, and one call is in flight at a time (uart-mcp.md §1). */
export function createCallPairing(): CallPairing {
  const latencies: number[] = []
  let open: { at: number; turnId: string | null } | undefined
  let expired: { at: number } | undefined
  let timeouts = 0
  let lateAnswers = 0
  let slowestMs: number | null = null

  function expire(at: number): boolean {
    if (!open || at - open.at < answerLimitMs) return false
    expired = open
    open = undefined
    timeouts += 1
    return true
  }

  function answered(at: number): Paired {
    expire(at)
    if (!open) {
      lateAnswers += 1
      if (expired) slowestMs = Math.max(slowestMs ?? 0, at - expired.at)
      expired = undefined
      return { turnId: null, latencyMs: null, late: true }
    }
    const { turnId } = open
    const latencyMs = Math.max(0, at - open.at)
    open = undefined
    latencies.push(latencyMs)
    if (latencies.length > lastAnswers) latencies.shift()
    return { turnId, latencyMs, late: false }
  }

  return {
    expire,
    line(line, at, turnId) {
      if (line.board?.type === 'call') {
        expire(at)
        open = { at, turnId }
        return { turnId, latencyMs: null, late: false }
      }
      if (line.reading?.command?.type === 'mcp-responsive') return answered(at)
      return { turnId, latencyMs: null, late: false }
    },
    figures: () => ({ timeouts, lateAnswers, p50Ms: median(latencies), slowestMs }),
  }
}

function median(values: readonly number[]): number | null {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null
}
