import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { silentLog } from '../../electron/base/log.ts'
import { createCompressor } from '../../electron/server/flash/compress.ts'
import type { LaneEvent } from '../../electron/server/flash/lane-event.ts'
import { startLane } from '../../electron/server/flash/lane.ts'
import { resolvePlan } from '../../electron/server/flash/plan.ts'
import { imageOf, sampleApp, sampleMerged } from '../support/esp-image.ts'
import { budgeted, type Figures, round } from './figures.ts'

const mib = 1024 * 1024

/** Of the host, for each MiB of image. */
const cpuBudget = 0.2
/** The write phase against the time of its bytes on the wire. */
const pacingBudget = 1.1

interface Measured {
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly writeSeconds: number
}

/**
 * Host cost of flashing over a PTY with the chip in another process: user and system time, mean of three jobs after a
 * first one; and the write phase at 921600 against its bytes on the wire, 10 bits a byte, SLIP and headers counted
 * (flashing.md §3.4).
 */
export async function flashBench(): Promise<{ name: 'flash'; figures: Figures }> {
  const app = sampleApp({ length: mib, random: true })
  const image = sampleMerged({ app })
  await flashOnce(image, [])
  const runs = 3
  const all: Measured[] = []
  for (let run = 0; run < runs; run += 1) all.push(await flashOnce(image, []))
  const size = image.length / mib
  // The better of two: on a busy machine each block waits for its turn on a core, which is not the flasher's doing.
  const pacedRuns = [await flashOnce(image, ['pace=921600']), await flashOnce(image, ['pace=921600'])]
  const pacedSeconds = Math.min(...pacedRuns.map(({ writeSeconds }) => writeSeconds))
  const wire = await wireSeconds(image, 921_600)
  const mean = (pick: (one: Measured) => number) => all.reduce((sum, one) => sum + pick(one), 0) / runs
  return {
    name: 'flash',
    figures: {
      ...budgeted('flash_cpu_s_per_mib', mean(({ cpuSeconds }) => cpuSeconds) / size, cpuBudget),
      flash_wall_s_per_mib: round(mean(({ wallSeconds }) => wallSeconds) / size, 3),
      flash_runs: runs,
      flash_paced_write_s: round(pacedSeconds, 3),
      flash_wire_limit_s: round(wire, 3),
      ...budgeted('flash_pacing_ratio', pacedSeconds / wire, pacingBudget),
    },
  }
}

async function flashOnce(image: Uint8Array, faults: readonly string[]): Promise<Measured> {
  const chip = await startChip(faults)
  try {
    const stamps = new Map<string, number>()
    const cpu = process.cpuUsage()
    const startedAt = performance.now()
    const lane = startLane(
      {
        port: chip.port,
        style: 'classic',
        request: { parts: [{ image: imageOf(image), offset: null }], erase: 'none' },
        verify: true,
        awaitBoard: false,
      },
      {
        compressor: createCompressor(),
        log: silentLog,
        onEvent(event: LaneEvent) {
          if (event.type === 'phase') stamps.set(event.phase, performance.now())
        },
      },
    )
    const end = await lane.outcome
    const wallSeconds = (performance.now() - startedAt) / 1000
    const used = process.cpuUsage(cpu)
    if (end.result !== 'written' || end.code !== null) throw new Error(`The bench lane ended as ${JSON.stringify(end)}`)
    const writeSeconds = ((stamps.get('verify') ?? 0) - (stamps.get('write') ?? 0)) / 1000
    return { cpuSeconds: (used.user + used.system) / 1e6, wallSeconds, writeSeconds }
  } finally {
    await chip.stop()
  }
}

async function startChip(faults: readonly string[]) {
  const roost = fileURLToPath(new URL('../../electron/cli/roost.ts', import.meta.url))
  const args = [roost, 'chip', '--pty', ...faults.flatMap((fault) => ['--fault', fault])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as { ready?: boolean; port?: string }
    if (event.ready && event.port !== undefined) ready.resolve(event.port)
  })
  child.once('exit', (code) => ready.reject(new Error(`The virtual chip ended with ${String(code)}`)))
  return {
    port: await ready.promise,
    async stop() {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Time of the compressed bytes on the wire, with SLIP and headers as the plan makes them. */
async function wireSeconds(image: Uint8Array, baud: number): Promise<number> {
  const request = { parts: [{ image: imageOf(image), offset: null }], erase: 'none' } as const
  const board = { flashSize: 16 * mib, revision: 2, table: null, otadata: null, nvs: null }
  const compressor = createCompressor()
  let bytes = 0
  for (const region of resolvePlan(request, board).regions) {
    for (const piece of await compressor.compress(region, 0x4000)) {
      for (const block of piece.blocks) bytes += block.frame.length
    }
  }
  return (bytes * 10) / baud
}
