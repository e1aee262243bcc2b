import { cpus, loadavg } from 'node:os'

/** `roost bench NAME` starts this: figures of one benchmark as one JSON document on standard output. */
interface Bench {
  readonly name: string
  readonly figures: object
}

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  codec: async () => (await import('./codec-bench.ts')).codecBench(),
  flash: async () => (await import('./flash-bench.ts')).flashBench(),
  loop: async () => (await import('./loop-bench.ts')).loopBench(),
  fleet: async () => (await import('./fleet-bench.ts')).fleetBench(),
  tools: async () => (await import('./tools-bench.ts')).toolsBench(),
  start: async () => (await import('./start-bench.ts')).startBench(),
}

const wanted = benches[process.argv[2] ?? '']
if (!wanted) {
  process.stderr.write(`benchmarks: ${Object.keys(benches).join(' ')}\n`)
  process.exit(2)
}
// What was started for a benchmark ends with it, also when somebody stops it.
process.once('SIGTERM', () => process.exit(143))
process.once('SIGINT', () => process.exit(130))
const load = () => Math.round((loadavg()[0] ?? 0) * 100) / 100
const loadBefore = load()
const { name, figures } = await wanted()
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  node: process.version,
  load_before: loadBefore,
  load_after: load(),
}
process.stdout.write(`${JSON.stringify({ name, figures, machine })}\n`, () => process.exit(0))
