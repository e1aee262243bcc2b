import { systemClock } from '../../electron/base/clock.ts'
import type { ReplayOrder } from '../../electron/contract/thing-replay.ts'
import type { ThingState } from '../../electron/contract/thing-engine.ts'
import type { ThingModel } from '../../electron/contract/thing.ts'
import { readReplay } from '../../electron/server/things/replay-csv.ts'
import { createReplayPlayer, type ReplayPlayer } from '../../electron/server/things/replay-player.ts'

interface Playing {
  readonly model: ThingModel
  readonly state: ThingState
  replay: ReplayPlayer | null
}

/** Recordings of the scripted server: read and played by the product's own parts. */
export function replayRows<One extends Playing>(
  runs: (bindingId: string) => One,
  { settle, tell }: { settle: (one: One, state: ThingState, names: string[]) => void; tell: () => void },
) {
  return {
    startReplay({ bindingId, file, text }: { bindingId: string; file: string; text: string }) {
      const one = runs(bindingId)
      const read = readReplay(text, one.model)
      if ('faults' in read) return read
      one.replay?.stop()
      one.replay = createReplayPlayer({
        file,
        rows: read.rows,
        clock: systemClock,
        put: (values) => settle(one, { ...one.state, ...values }, Object.keys(values)),
        changed: tell,
      })
      one.replay.steer({ action: 'play' })
      return { faults: [] }
    },
    steerReplay({ bindingId, order }: { bindingId: string; order: ReplayOrder }) {
      const one = runs(bindingId)
      one.replay?.steer(order)
      if (order.action === 'stop') one.replay = null
      tell()
      return { ok: true } as const
    },
  }
}
