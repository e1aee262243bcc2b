import type { ByteWire } from '../../base/byte-wire.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { UartFault, UartFaultPlan } from '../../contract/uart.ts'
import { noFaultPlan, type SpoiltLine, spoil } from './fault-line.ts'

export interface Sender {
  /** In order. `exact`: the fault plan leaves it alone. `sent` is told right before the bytes go out, or are dropped. */
  send(bytes: Uint8Array, exact: boolean, sent: (faults: readonly UartFault[]) => void): void
  /** When what was sent before has left at the old speed. */
  setBaud(baud: number): Promise<void>
  setPlan(plan: UartFaultPlan): void
}

interface SenderOptions {
  readonly wire: ByteWire
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly log: Log
  readonly onSent: () => void
}

/** A far end that takes nothing must not fill our memory. */
const mostWaiting = 10_000
/** A line that is to go after the next one goes alone when none follows: swapped, not lost. */
const holdMs = 1_000

const asItIs = (bytes: Uint8Array): SpoiltLine => ({ bytes, delayMs: 0, held: false, faults: [] })

export function createSender({ wire, clock, signal, log, onSent }: SenderOptions): Sender {
  let plan = noFaultPlan
  let count = 0
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  let held: { put(): Promise<void>; stopWaiting(): void } | undefined

  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    waiting += 1
    const next = last.then(task).finally(() => (waiting -= 1))
    last = next.catch(() => undefined)
    return next
  }

  async function put(line: SpoiltLine, sent: (faults: readonly UartFault[]) => void): Promise<void> {
    if (signal.aborted) return
    sent(line.faults)
    if (!line.bytes) return
    onSent()
    await wire.write(line.bytes)
  }

  async function release(): Promise<void> {
    const line = held
    held = undefined
    line?.stopWaiting()
    await line?.put()
  }

  const failed = (error: unknown) => log.debug('a line was not sent', { error })

  return {
    send(bytes, exact, sent) {
      if (waiting >= mostWaiting) return
      const done = inTurn(async () => {
        if (!exact) count += 1
        const line = exact ? asItIs(bytes) : spoil(bytes, count, plan)
        if (line.delayMs > 0) await new Promise<void>((resolve) => clock.after(line.delayMs, resolve))
        // One line at a time changes places: two that wait would keep their order.
        if (line.held && !held) {
          const stopWaiting = clock.after(holdMs, () => void inTurn(release).catch(failed))
          held = { put: () => put(line, sent), stopWaiting }
          return
        }
        await put(line, sent)
        await release()
      })
      done.catch(failed)
    },
    setBaud: (baud) =>
      inTurn(async () => {
        await wire.drain()
        await wire.setBaud(baud)
      }),
    setPlan: (wanted) => void (plan = wanted),
  }
}
