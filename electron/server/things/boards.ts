import bread from '../../../firmware/boards/bread-compact-wifi.json' with { type: 'json' }
import devkit from '../../../firmware/boards/esp32-s3-devkitc-1.json' with { type: 'json' }
import box from '../../../firmware/boards/esp32-s3-box-3.json' with { type: 'json' }
import core from '../../../firmware/boards/m5stack-core-s3.json' with { type: 'json' }
import type { BoardProfile } from '../../contract/rpc-things.ts'
import type { ThingModel, ThingProblem } from '../../contract/thing.ts'

/** A new board is a file in firmware/boards and a line here. */
export const boardProfiles: readonly BoardProfile[] = [devkit, box, bread, core]

/** What the wiring note promises that the board cannot keep. Free pins are those that its profile does not list. */
export function pinProblems(model: ThingModel): ThingProblem[] {
  const { wiring } = model
  if (!wiring) return []
  const board = boardProfiles.find(({ id }) => id === wiring.board)
  const unknown: ThingProblem[] =
    wiring.board !== null && !board
      ? [{ severity: 'warning', code: 'board-unknown', path: 'wiring/board', detail: { board: wiring.board } }]
      : []
  const chosen = wiring.pins.flatMap(({ role, gpio }, at) => (gpio === null ? [] : [{ role, gpio, at }]))
  return [
    ...unknown,
    ...chosen.flatMap(({ role, gpio, at }): ThingProblem[] => {
      const path = `wiring/pins/${at}`
      const twin = chosen.find((other) => other.gpio === gpio && other.at < at)
      const used = board?.pins.find((pin) => pin.gpio === gpio)
      return [
        ...(twin
          ? [{ severity: 'error' as const, code: 'pin-twice', path, detail: { role, gpio, other: twin.role } }]
          : []),
        ...(used
          ? [
              {
                severity: used.taken ? ('error' as const) : ('warning' as const),
                code: used.taken ? 'pin-taken' : 'pin-shared',
                path,
                detail: { role, gpio, use: used.use },
              },
            ]
          : []),
      ]
    }),
  ]
}
