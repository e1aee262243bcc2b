import type { BoardProfile } from '../../electron/contract/rpc-things.ts'
import type { ThingPin } from '../../electron/contract/thing.ts'

export interface PinMark {
  readonly role: string
  readonly problem: 'taken' | 'double' | 'absent' | 'shared' | null
  /** What the board uses the pin for; null when it is free or not on the board's list. */
  readonly use: string | null
}

/** GPIO numbers that an ESP32-S3 has: 22 to 25 do not exist (ESP32-S3 datasheet, pin definitions). */
export const gpios: readonly number[] = Array.from({ length: 49 }, (_, gpio) => gpio).filter(
  (gpio) => gpio < 22 || gpio > 25,
)

/** `taken`: the board needs it itself; `shared`: usable with care (strapping, USB); `double`: two roles on one pin. */
export function pinMarks(pins: readonly ThingPin[], board: BoardProfile | null): PinMark[] {
  return pins.map(({ role, gpio }) => {
    if (gpio === null) return { role, problem: null, use: null }
    if (!gpios.includes(gpio)) return { role, problem: 'absent', use: null }
    const known = board?.pins.find((pin) => pin.gpio === gpio) ?? null
    const use = known?.use ?? null
    if (known?.taken) return { role, problem: 'taken', use }
    if (pins.filter((pin) => pin.gpio === gpio).length > 1) return { role, problem: 'double', use }
    return { role, problem: known ? 'shared' : null, use }
  })
}
