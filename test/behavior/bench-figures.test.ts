import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startBenchServer } from '../bench/bench-server.ts'
import { codecBench } from '../bench/codec-bench.ts'
import { median } from '../bench/figures.ts'
import { isRight, speakCommands } from '../bench/loop-bench.ts'
import { callOverhead, matcherTimes } from '../bench/tools-bench.ts'
import commands from '../support/spoken-commands.json' with { type: 'json' }

// Figures of `roost bench` that hold on a busy machine too: CPU time, counts and ratios, never wall time.

test('an answer costs the main loop of the server at most 15 ms of CPU, its whole turn 150 ms', async () => {
  const server = await startBenchServer()
  try {
    const of = commands.filter((_, index) => index % 4 === 0)
    const spoken = await speakCommands(server, { rounds: 1, of })
    expect(spoken.filter((one) => !isRight(one)).map(({ command }) => command.say)).toEqual([])
    expect(median(spoken.map(({ cost }) => cost.answer))).toBeLessThanOrEqual(15)
    expect(median(spoken.map(({ cost }) => cost.turn))).toBeLessThanOrEqual(150)
  } finally {
    await server.stop()
  }
})

const hasNative =
  spawnSync('gcc', ['-x', 'c', '-fsyntax-only', '-'], { input: '#include <opus/opus.h>\n' }).status === 0

test.skipIf(!hasNative)('Opus in wasm costs at most 1.6 times native to encode and 2.7 times to decode', async () => {
  const { figures } = await codecBench()
  const ratios = Object.entries(figures).filter(([name]) => name.endsWith('_ratio'))
  expect(ratios).toHaveLength(6)
  for (const [name, ratio] of ratios) expect(ratio, name).toBeLessThanOrEqual(name.includes('encode') ? 1.6 : 2.7)
})

test('a call costs at most 1 ms of CPU beside its tool, and a sentence 0.2 ms among 200 tools', async () => {
  expect((await callOverhead(400)).tools_call_cpu_ms).toBeLessThanOrEqual(1)
  matcherTimes(300)
  const before = process.cpuUsage()
  matcherTimes(2_000)
  const { user } = process.cpuUsage(before)
  expect(user / 1000 / 2_000).toBeLessThanOrEqual(0.2)
})
