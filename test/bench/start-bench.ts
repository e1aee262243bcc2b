import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { pause } from '../../electron/base/deadline.ts'
import { consoleUrl } from '../../electron/base/entries.ts'
import { bundle, startBenchServer } from './bench-server.ts'
import { budgeted, type Figures, median, round } from './figures.ts'
import { processCpuMs, residentMib } from './process-cost.ts'

const starts = 5
const firstRouteBudgetKib = 250
/** What is loaded at the first visit, besides what the page itself names: the words, the shell's chunks, the screen. */
const firstRoute = ['FleetScreen', 'en']

/** `roost serve` until its ready line and at rest, and what a browser fetches to show the first screen. */
export async function startBench(): Promise<{ name: 'start'; figures: Figures }> {
  const runs: Start[] = []
  const built = existsSync(bundle)
  for (let run = 0; run < starts; run += 1) runs.push(await startOnce(built ? { program: bundle } : {}))
  const all = (pick: (run: Start) => number) => round(median(runs.map(pick)))
  return {
    name: 'start',
    figures: {
      start_runs: starts,
      start_program: built ? 'bundle' : 'source',
      start_ready_p50_ms: all(({ readyMs }) => readyMs),
      start_cpu_to_ready_p50_ms: all(({ cpuMs }) => cpuMs),
      start_rss_idle_main_mib: all(({ mainMib }) => mainMib),
      start_rss_idle_with_children_mib: all(({ allMib }) => allMib),
      ...budgeted('start_first_route_gzip_kib', firstRouteKib(), firstRouteBudgetKib),
    },
  }
}

interface Start {
  readonly readyMs: number
  readonly cpuMs: number
  readonly mainMib: number
  readonly allMib: number
}

async function startOnce(options: { program?: string }): Promise<Start> {
  const server = await startBenchServer(options)
  try {
    const cpuMs = processCpuMs(server.pid)
    // The voices are warmed after the start: at rest is when the loop has nothing left to do.
    await quiet(server.pid)
    return {
      readyMs: server.readyMs,
      cpuMs,
      mainMib: residentMib(server.pid),
      allMib: residentMib(server.pid, { children: true }),
    }
  } finally {
    await server.stop()
  }
}

/** Until the server used less than 2 % of a core in a second, a minute at most. */
async function quiet(pid: number): Promise<void> {
  let before = processCpuMs(pid)
  for (let second = 0; second < 60; second += 1) {
    await pause(1_000)
    const now = processCpuMs(pid)
    if (now - before < 20) return
    before = now
  }
}

/** KiB of the page, its scripts, styles and the chunks of its first screen, each gzipped; NaN while it is not built. */
export function firstRouteKib(folder = consoleUrl()): number {
  const page = new URL('index.html', folder)
  if (!existsSync(page)) return NaN
  const html = readFileSync(page, 'utf8')
  const named = Array.from(html.matchAll(/(?:src|href)="\/([^"]+)"/g), ([, path]) => path ?? '')
  const files = new Set(['index.html'])
  const waiting = [...named]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (files.has(next)) continue
    files.add(next)
    if (next.endsWith('.js')) waiting.push(...importsOf(folder, next))
  }
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, folder))).length, 0) / 1024
}

/** Static imports, and the lazy ones that the first screen needs, with the styles and chunks that Vite lists for them. */
function importsOf(folder: URL, file: string): string[] {
  const source = readFileSync(new URL(file, folder), 'utf8')
  const here = file.slice(0, file.lastIndexOf('/') + 1)
  const fixed = Array.from(
    source.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g),
    ([, path]) => here + (path ?? ''),
  )
  const lazy = Array.from(
    source.matchAll(/import\(\s*["'`]\.\/([\w.-]+\.js)["'`]\)/g),
    ([, path]) => here + (path ?? ''),
  )
  return [...fixed, ...lazy.filter((path) => firstRoute.some((name) => path.startsWith(`${here}${name}-`)))]
}
