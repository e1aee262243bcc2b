import type { ByteWire } from '../../base/byte-wire.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { UartFault, UartFaultPlan } from '../../contract/uart.ts'
import { noFaultPlan, spoil } from './fault-line.ts'

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

export function createSender({ wire, clock, signal, log, onSent }: SenderOptions): Sender {
  let plan = noFaultPlan
  let count = 0
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    waiting += 1
    const next = last.then(task).finally(() => (waiting -= 1))
    last = next.catch(() => undefined)
    return next
  }

  return {
    send(bytes, exact, sent) {
      if (waiting >= mostWaiting) return
      const done = inTurn(async () => {
        if (!exact) count += 1
        const line = exact ? { bytes, delayMs: 0, faults: [] } : spoil(bytes, count, plan)
        if (line.delayMs > 0) await new Promise<void>((resolve) => clock.after(line.delayMs, resolve))
        if (signal.aborted) return
        sent(line.faults)
        if (!line.bytes) return
        onSent()
        await wire.write(line.bytes)
      })
      done.catch((error: unknown) => log.debug('a line was not sent', { error }))
    },
    setBaud: (baud) =>
      inTurn(async () => {
        await wire.drain()
        await wire.setBaud(baud)
      }),
    setPlan: (wanted) => void (plan = wanted),
  }
}
