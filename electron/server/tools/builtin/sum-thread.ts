import { AppError } from '../../../base/app-error.ts'
import type { Clock } from '../../../base/clock.ts'
import { type AskedThread, startAskedThread } from './asked-thread.ts'
import { units } from './units.ts'

export type SumRequest =
  { readonly formula: string } | { readonly value: number; readonly from: string; readonly to: string }
export type SumReply = { readonly value: number } | { readonly fault: string }

/** Loading is most of it; a sum takes less than a millisecond. */
const patienceMs = 8_000
/** Then the memory is worth more than the second that the next sum waits. */
const keptMs = 5 * 60_000

export interface Sums {
  /** The value of a formula (sum.ts). Rejects helper-bad-sum. */
  workOut(formula: string): Promise<number>
  /** A value in another unit, both by their names in units.ts. Rejects helper-bad-sum. */
  convert(value: number, from: string, to: string): Promise<number>
  close(): Promise<void>
}

/** Sums and units in a thread, which is started by the first question and ended some minutes after the last. */
export function createSums(options: { readonly clock: Clock; readonly patienceMs?: number }): Sums {
  let thread: AskedThread<SumReply> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let cancelEnd = (): void => undefined

  async function end(): Promise<void> {
    cancelEnd()
    const old = thread
    thread = undefined
    await old?.end()
  }
  async function ask(request: SumRequest): Promise<number> {
    cancelEnd()
    thread ??= startAskedThread('sum-worker', {
      patienceMs: options.patienceMs ?? patienceMs,
      lost: (why) => new AppError('helper-bad-sum', `That cannot be worked out: ${why}`),
    })
    const got = await thread.ask(request).catch(async (error: unknown) => {
      // It hangs or died: the next question gets a new thread.
      await end()
      throw error
    })
    cancelEnd = options.clock.after(keptMs, () => void end())
    if ('fault' in got) throw new AppError('helper-bad-sum', got.fault)
    return got.value
  }
  function inTurn(request: SumRequest): Promise<number> {
    const made = last.then(() => ask(request))
    last = made.catch(() => undefined)
    return made
  }
  return {
    workOut: (formula) => inTurn({ formula }),
    async convert(value, from, to) {
      const [source, target] = [units[from], units[to]]
      if (!source || source.of !== target?.of)
        throw new AppError('helper-bad-sum', `${from} cannot be turned into ${to}`)
      return inTurn({ value, from: source.math, to: target.math })
    },
    close: end,
  }
}
