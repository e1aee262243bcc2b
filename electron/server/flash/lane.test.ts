import { expect, test } from 'vitest'
import { type ChipBenchOptions, createChipBench, planFor } from '../../../test/support/chip-bench.ts'
import { sampleApp, sampleMerged } from '../../../test/support/esp-image.ts'
import type { LaneEvent } from './lane-event.ts'
import { op } from './rom-protocol.ts'

const image = sampleMerged({ app: sampleApp({ length: 0x40000, random: true }) })
const writes: number[] = [op.flashBegin, op.flashData, op.deflBegin, op.deflData, op.eraseFlash, op.eraseRegion]

function wholeImage(bench: ReturnType<typeof createChipBench>): boolean {
  return bench.bytesAt(0, image.length).equals(image)
}

async function flashed(options: ChipBenchOptions = {}) {
  const bench = createChipBench(options)
  const { outcome, events } = bench.flash(planFor(image))
  return { bench, events, end: await outcome }
}

test('a good board is detected, written, verified and started within two seconds', async () => {
  const large = sampleMerged({ app: sampleApp({ length: 0x100000, random: true }) })
  const bench = createChipBench()
  const { outcome, events } = bench.flash(planFor(large))
  const end = await outcome
  expect(end).toMatchObject({ result: 'written', code: null, mac: '7c:df:a1:e0:12:34', retries: 0, degraded: false })
  expect(end.ms).toBeLessThan(2000)
  expect(bench.bytesAt(0, large.length).equals(large)).toBe(true)
  expect(bench.chipEvents.findLast(({ event }) => event === 'boot')).toMatchObject({ mode: 'app', version: '1.2.3' })
  const phases = events.flatMap((event) => (event.type === 'phase' ? [event.phase] : []))
  expect(phases).toEqual(['detect', 'security', 'compare', 'write', 'verify', 'reset', 'banner'])
  const done = events.filter((event) => event.type === 'progress').at(-1)
  expect(done).toMatchObject({ bytesDone: done?.bytesTotal })
})

test.each([
  ['wrong-chip=5', 'flash-wrong-chip'],
  ['secure-boot', 'flash-secure-boot'],
  ['secure-download', 'flash-secure-download'],
  ['flash-encryption', 'flash-encrypted'],
])('a board with %s is refused before a stub is loaded', async (fault, code) => {
  const { bench, end } = await flashed({ fault: [fault] })
  expect(end).toMatchObject({ result: 'failed', code })
  const seen = bench.opcodes()
  expect(seen.filter((opcode) => opcode === op.memBegin || writes.includes(opcode))).toEqual([])
  if (code === 'flash-wrong-chip') expect(end.message).toMatch(/ESP32-C3.*ESP32-S3/)
})

test('a board whose flash does not answer is refused before anything is written', async () => {
  const { bench, end } = await flashed({ fault: ['dead-flash'] })
  expect(end).toMatchObject({ result: 'failed', code: 'flash-no-flash' })
  expect(bench.opcodes().filter((opcode) => writes.includes(opcode))).toEqual([])
})

test('a board that ignores the lines fails within eight seconds, with its boot code and what to press', async () => {
  const { end } = await flashed({ fault: ['stuck-in-app'] })
  expect(end).toMatchObject({ result: 'failed', code: 'flash-no-answer' })
  expect(end.message).toMatch(/0x8.*BOOT/s)
  expect(end.ms).toBeLessThan(8000)
})

test('a cable pulled in mid write fails at once, and the port can be used again', async () => {
  const { bench, end } = await flashed({ fault: ['unplug@block=3'] })
  expect(end).toMatchObject({ result: 'failed', code: 'flash-unplugged' })
  expect(end.ms).toBeLessThan(2500)
  bench.chip.plug()
  const again = await bench.flash(planFor(image)).outcome
  expect(again).toMatchObject({ result: 'written', code: null })
  expect(wholeImage(bench)).toBe(true)
})

test('a block that came in damaged once is sent again once', async () => {
  const { bench, end } = await flashed({ fault: ['checksum@block=2'] })
  expect(end).toMatchObject({ result: 'written', code: null, retries: 1 })
  expect(wholeImage(bench)).toBe(true)
})

test('a block that is always damaged fails after three tries', async () => {
  const { bench, end } = await flashed({ fault: ['checksum-always'] })
  expect(end).toMatchObject({ result: 'failed', code: 'flash-checksum' })
  expect(end.message).toContain('checksum')
  expect(bench.opcodes().filter((opcode) => opcode === op.deflData)).toHaveLength(3)
})

test('a lost answer restarts the region and never sends the block twice', { timeout: 30_000 }, async () => {
  const { bench, end, events } = await flashed({ fault: ['lost-answer@block=4'] })
  expect(end).toMatchObject({ result: 'written', code: null, retries: 1 })
  expect(events.filter(({ type }) => type === 'retry')).toMatchObject([{ reason: 'restart' }])
  expect(wholeImage(bench)).toBe(true)
})

test('a board that falls silent is a time-out, not noise, within its limit', { timeout: 30_000 }, async () => {
  let blocks = 0
  const onWrite = (bytes: Uint8Array) => {
    if (bytes[2] === op.deflData) blocks += 1
    return blocks < 3
  }
  const { end } = await flashed({ onWrite })
  expect(end).toMatchObject({ result: 'failed', code: 'flash-timeout' })
  expect(end.ms).toBeLessThan(7000)
})

test('one flipped bit is a failed verify with both digests', async () => {
  const { end } = await flashed({ fault: ['md5-flip'] })
  expect(end).toMatchObject({ result: 'failed', code: 'flash-verify-failed' })
  expect(end.message?.match(/[0-9a-f]{32}/g)).toHaveLength(2)
})

test('a brown-out in mid write is seen in the text and tried once more from the start', async () => {
  const { bench, end, events } = await flashed({ fault: ['reboot@block=3'] })
  expect(end).toMatchObject({ result: 'written', code: null, retries: 1 })
  expect(events.filter(({ type }) => type === 'retry')).toMatchObject([{ reason: 'reboot' }])
  expect(wholeImage(bench)).toBe(true)
})

test('a second brown-out ends the lane with the reason of the reset', async () => {
  const { end } = await flashed({ fault: ['reboot@block=3', 'reboot@block=6'] })
  expect(end).toMatchObject({ result: 'failed', code: 'flash-rebooted' })
  expect(end.message).toContain('brown-out')
})

test('garbage before every answer is counted and skipped', async () => {
  const { bench, end } = await flashed({ fault: ['noise'] })
  expect(end).toMatchObject({ result: 'written', code: null })
  expect(end.noiseBytes).toBeGreaterThan(100)
  expect(wholeImage(bench)).toBe(true)
})

test('a board that refuses the higher speed is flashed at 115200 and marked', async () => {
  const { bench, end, events } = await flashed({ fault: ['baud-refusal'] })
  expect(end).toMatchObject({ result: 'written', code: null, degraded: true })
  expect(events).toContainEqual({ type: 'speed', baud: 115_200, degraded: true })
  expect(wholeImage(bench)).toBe(true)
})

test('a port that another program holds is busy, without a retry', async () => {
  const bench = createChipBench()
  const held = await bench.binding.open({ path: bench.path, baudRate: 115_200 })
  const end = await bench.flash(planFor(image)).outcome
  expect(end).toMatchObject({ result: 'failed', code: 'flash-port-busy' })
  expect(end.ms).toBeLessThan(500)
  await held.close()
})

test('a cancel in mid write ends within a second, resets the board and releases the port', async () => {
  const bench = createChipBench({ fault: ['pace=115200'] })
  const progress = Promise.withResolvers<void>()
  const { lane, outcome } = bench.flash(planFor(image), {}, (event: LaneEvent) => {
    if (event.type === 'progress') progress.resolve()
  })
  await progress.promise
  const at = performance.now()
  const resets = () => bench.chipEvents.filter(({ event }) => event === 'reset').length
  const before = resets()
  lane.cancel()
  const end = await outcome
  expect(end).toMatchObject({ result: 'failed', code: 'flash-cancelled' })
  expect(performance.now() - at).toBeLessThan(1000)
  await expect.poll(resets).toBe(before + 1)
  const held = await bench.binding.open({ path: bench.path, baudRate: 115_200 })
  await held.close()
})

test('a reset that fails after a verified write is "written", with a code of its own', async () => {
  let verified = false
  const bench = createChipBench({ onLines: () => !verified })
  const { outcome } = bench.flash(planFor(image), {}, (event) => {
    if (event.type === 'phase' && event.phase === 'verify') verified = true
  })
  expect(await outcome).toMatchObject({ result: 'written', code: 'flash-not-rebooted' })
})

test('passwords and claims reach the flash and no event, log line or message', async () => {
  const password = 'correct-horse-battery'
  const claim = 'claim-0123456789abcdef'
  const bench = createChipBench()
  const settings = { wifi: [{ ssid: 'school', password }] }
  const { outcome, events } = bench.flash(planFor(image, { settings }), {
    settingsFor: async () => ({ claim, server: 'https://roost.local' }),
  })
  expect(await outcome).toMatchObject({ result: 'written', code: null })
  const nvs = bench.bytesAt(0x9000, 0x4000)
  expect([nvs.includes(password), nvs.includes(claim)]).toEqual([true, true])
  const everything = JSON.stringify([events, bench.logLines])
  expect(everything).not.toContain(password)
  expect(everything).not.toContain(claim)
})

test('with a server the lane is proved when the board was heard, and written when it was not', async () => {
  const bench = createChipBench()
  const proved = bench.flash(planFor(image), { awaitBoard: true }, (event) => {
    if (event.type === 'phase' && event.phase === 'provision') proved.lane.provisioned()
    if (event.type === 'phase' && event.phase === 'hello') proved.lane.heard()
  })
  expect(await proved.outcome).toMatchObject({ result: 'proved', code: null })
  const silent = bench.flash(planFor(image), { awaitBoard: true, boardTimeoutMs: 50 })
  expect(await silent.outcome).toMatchObject({ result: 'written', code: 'flash-not-proved' })
})
