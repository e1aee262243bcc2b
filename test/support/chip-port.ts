import { join } from 'node:path'
import { readFile } from 'node:fs/promises'
import { type RoostProgram, runRoost } from './roost-process.ts'

export interface ChipPort extends RoostProgram {
  readonly port: string
  /** What its flash file holds now. */
  flash(): Promise<Buffer>
  /** Pulls the plug back in; resolves with the new port. */
  plug(): Promise<string>
}

/** `roost chip` as a process of its own, its flash in `dir`. */
export async function startChip(dir: string, args: readonly string[] = []): Promise<ChipPort> {
  const chip = runRoost(['chip', '--pty', '--state', dir, ...args])
  const ready = await chip.line((line) => line['ready'] === true)
  let plugs = 0
  return {
    ...chip,
    port: String(ready['port']),
    flash: () => readFile(join(dir, 'flash.bin')),
    async plug() {
      plugs += 1
      const wanted = plugs
      chip.write('plug\n')
      let last = ''
      await chip.line(() => {
        const plugged = chip.events().filter(({ event }) => event === 'plugged')
        last = plugged.at(-1)?.['port'] as string
        return plugged.length >= wanted
      })
      return last
    },
  }
}

export interface FlashEnd {
  readonly code: number | null
  /** The last JSON line of the lane. */
  readonly last: Record<string, unknown>
  readonly err: string
}

/** `roost flash` as a process of its own. */
export async function flashWith(args: readonly string[], stdin?: string): Promise<FlashEnd> {
  const flash = runRoost(['flash', '--json', ...args], stdin === undefined ? {} : { stdin })
  const { code } = await flash.ended
  return { code, last: flash.events().findLast((line) => 'result' in line) ?? {}, err: flash.err.join('') }
}
