import { type ChipEvent, type ChipOptions, createVirtualChip } from '../../electron/virtual/chip/chip.ts'
import { parseFault } from '../../electron/virtual/chip/faults.ts'
import { createChipBinding } from '../../electron/virtual/chip/serial-binding.ts'
import { silentLog } from '../../electron/base/log.ts'
import { readImage } from '../../electron/server/firmware/image.ts'
import { createCompressor } from '../../electron/server/flash/compress.ts'
import type { LaneEvent } from '../../electron/server/flash/lane-event.ts'
import type { LaneSetup } from '../../electron/server/flash/lane-setup.ts'
import { startLane } from '../../electron/server/flash/lane.ts'
import type { PlanRequest } from '../../electron/server/flash/plan.ts'

export interface ChipBenchOptions extends Omit<ChipOptions, 'faults' | 'onEvent'> {
  readonly fault?: readonly string[]
}

/** A virtual chip behind an in-process port, and lanes on it. */
export function createChipBench({ fault = [], ...options }: ChipBenchOptions = {}) {
  const chipEvents: ChipEvent[] = []
  const chip = createVirtualChip({ ...options, faults: fault.map(parseFault), onEvent: (event) => chipEvents.push(event) })
  const path = '/virtual/chip'
  const binding = createChipBinding(chip, { path }) as unknown as NonNullable<LaneSetup['binding']>
  return {
    chip,
    chipEvents,
    path,
    binding,
    flash: (request: PlanRequest, more: Partial<LaneSetup> = {}) => {
      const events: LaneEvent[] = []
      const lane = startLane(
        { port: path, binding, style: 'classic', request, verify: true, awaitBoard: false, ...more },
        { compressor: createCompressor(), log: silentLog, onEvent: (event) => events.push(event) },
      )
      return { lane, events, outcome: lane.outcome }
    },
  }
}

export function planFor(bytes: Uint8Array, more: Partial<PlanRequest> = {}): PlanRequest {
  return { parts: [{ image: { name: 'image.bin', bytes, info: readImage(bytes) }, offset: null }], erase: 'none', ...more }
}
