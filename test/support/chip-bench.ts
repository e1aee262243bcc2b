import { createLog } from '../../electron/base/log.ts'
import { createCompressor } from '../../electron/server/flash/compress.ts'
import type { LaneEvent } from '../../electron/server/flash/lane-event.ts'
import type { LaneSetup } from '../../electron/server/flash/lane-setup.ts'
import { startLane } from '../../electron/server/flash/lane.ts'
import type { PlanRequest } from '../../electron/server/flash/plan.ts'
import type { ChipEvent } from '../../electron/virtual/chip/chip-events.ts'
import { type ChipOptions, createVirtualChip } from '../../electron/virtual/chip/chip.ts'
import { parseFault } from '../../electron/virtual/chip/faults.ts'
import { createChipBinding } from '../../electron/virtual/chip/serial-binding.ts'
import { imageOf } from './esp-image.ts'

export interface ChipBenchOptions extends Omit<ChipOptions, 'faults' | 'onEvent'> {
  readonly fault?: readonly string[]
  /** Every write to the chip passes here; false swallows it, as a broken wire would. */
  readonly onWrite?: (bytes: Uint8Array) => boolean
  /** False: the lines do not move. */
  readonly onLines?: () => boolean
}

type Binding = NonNullable<LaneSetup['binding']>

/** A virtual chip behind an in-process port, and lanes on it. */
export function createChipBench({ fault = [], onWrite, onLines, ...options }: ChipBenchOptions = {}) {
  const chipEvents: ChipEvent[] = []
  const sent: Uint8Array[] = []
  const logLines: string[] = []
  const chip = createVirtualChip({
    ...options,
    faults: fault.map(parseFault),
    onEvent: (event) => chipEvents.push(event),
  })
  const path = '/virtual/chip'
  const inner = createChipBinding(chip, { path })
  const compressor = createCompressor()
  const log = createLog({ level: 'debug', target: { write: (line) => logLines.push(line) } })

  const binding = {
    list: () => inner.list(),
    async open(openOptions: { path: string; baudRate: number }) {
      const port = await inner.open(openOptions)
      const write = port.write.bind(port)
      const set = port.set.bind(port)
      port.write = async (bytes) => {
        sent.push(Uint8Array.from(bytes))
        if (onWrite?.(bytes) !== false) await write(bytes)
      }
      port.set = async (lines) => {
        if (onLines?.() !== false) await set(lines)
      }
      return port
    },
  } as unknown as Binding

  return {
    chip,
    chipEvents,
    path,
    binding,
    logLines,
    /** Opcodes of all requests, in order. */
    opcodes: () => sent.flatMap((bytes) => (bytes[0] === 0xc0 && bytes[1] === 0 ? [bytes[2] ?? 0] : [])),
    bytesAt: (offset: number, length: number) => Buffer.from(chip.flash.read(offset, length)),
    flash(request: PlanRequest, more: Partial<LaneSetup> = {}, onEvent?: (event: LaneEvent) => void) {
      const events: LaneEvent[] = []
      const lane = startLane(
        { port: path, binding, style: 'classic', request, verify: true, awaitBoard: false, ...more },
        {
          compressor,
          log,
          onEvent(event) {
            events.push(event)
            onEvent?.(event)
          },
        },
      )
      return { lane, events, outcome: lane.outcome }
    },
  }
}

export function planFor(bytes: Uint8Array, more: Partial<PlanRequest> = {}): PlanRequest {
  return { parts: [{ image: imageOf(bytes), offset: null }], erase: 'none', ...more }
}
