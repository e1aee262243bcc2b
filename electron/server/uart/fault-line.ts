import type { UartFault, UartFaultPlan } from '../../contract/uart.ts'

export const noFaultPlan: UartFaultPlan = { delayMs: 0, dropEvery: 0, corruptEvery: 0, noLineEnd: false }

export interface SpoiltLine {
  /** Null: the line is not sent at all. */
  readonly bytes: Uint8Array | null
  readonly delayMs: number
  /** It waits until the next line is out. */
  readonly held: boolean
  /** What was done to it. */
  readonly faults: readonly UartFault[]
}

/**
 * What the plan does to the `count`th line (from 1): each `dropEvery`th is lost, each `corruptEvery`th has a bit
 * flipped, each `reorderEvery`th changes places with the next one.
 */
export function spoil(bytes: Uint8Array, count: number, plan: UartFaultPlan): SpoiltLine {
  const { delayMs, reorderEvery = 0 } = plan
  const held = reorderEvery > 0 && count % reorderEvery === 0
  if (plan.dropEvery > 0 && count % plan.dropEvery === 0)
    return { bytes: null, delayMs, held: false, faults: [injected(0, 'the line was dropped')] }
  const faults: UartFault[] = []
  let sent = bytes
  if (plan.noLineEnd && sent.at(-1) === 0x0a) {
    sent = sent.subarray(0, sent.length - (sent.at(-2) === 0x0d ? 2 : 1))
    faults.push(injected(sent.length, 'the line end was left out'))
  }
  if (plan.corruptEvery > 0 && count % plan.corruptEvery === 0 && sent.length > 0) {
    const at = (count * 7) % sent.length
    sent = Uint8Array.from(sent, (byte, index) => (index === at ? byte ^ 0x04 : byte))
    faults.push(injected(at, 'one bit was flipped'))
  }
  if (delayMs > 0) faults.push(injected(0, `sent ${delayMs} ms late`))
  if (held) faults.push(injected(0, 'sent after the line that follows it'))
  return { bytes: sent, delayMs, held, faults }
}

function injected(byte: number, message: string): UartFault {
  return { rule: 'uart-fault-injected', byte, severity: 'warning', message }
}
