import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleApp, sampleMerged } from '../../../test/support/esp-image.ts'
import { type Child, type Launcher, createForkLauncher } from '../../base/launcher.ts'
import { silentLog } from '../../base/log.ts'
import { createVirtualChip } from '../../virtual/chip/chip.ts'
import { parseFault } from '../../virtual/chip/faults.ts'
import { openChipOnPty } from '../../virtual/chip/pty-chip.ts'
import { readImage } from '../firmware/image.ts'
import { createFlasher } from './flasher.ts'
import type { LaneEvent } from './lane-event.ts'

const merged = sampleMerged({ app: sampleApp({ length: 0x40000, random: true }) })
let folder: string
let path: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flasher-'))
  path = join(folder, 'merged.bin')
  writeFileSync(path, merged)
})
afterAll(() => rmSync(folder, { recursive: true }))

const part = () => ({ path, offset: null, sha256: readImage(merged).sha256, size: merged.length })

function ptyChip(fault: readonly string[] = []) {
  const chip = createVirtualChip({ startIn: 'download', faults: fault.map(parseFault) })
  return { chip, pty: openChipOnPty(chip, () => undefined) }
}

/** Hands out the children, so that a test can kill one. */
function spyingLauncher() {
  const children: Child[] = []
  const inner = createForkLauncher(process.env)
  const launcher: Launcher = {
    async launch(entry, args) {
      const child = await inner.launch(entry, args)
      children.push(child)
      return child
    },
  }
  return { children, launcher }
}

test.runIf(process.platform === 'linux')('lanes run in a process of their own, over pseudo-terminals', async () => {
  const { launcher } = spyingLauncher()
  const flasher = createFlasher({ launcher, log: silentLog })
  const one = ptyChip()
  const two = ptyChip()
  const asked: string[] = []
  const lanes = [one, two].map(({ pty }) =>
    flasher.startLane(
      { port: pty.port, parts: [part()], erase: 'none' },
      {
        onEvent: () => undefined,
        settingsFor: async (board) => {
          asked.push(board.mac)
          return { claim: 'fresh-claim' }
        },
      },
    ),
  )
  const ends = await Promise.all(lanes.map(({ outcome }) => outcome))
  expect(ends.map(({ result, code }) => [result, code])).toEqual([
    ['written', null],
    ['written', null],
  ])
  expect(asked).toHaveLength(2)
  expect(Buffer.from(one.chip.flash.read(0x20000, 0x40000)).equals(merged.subarray(0x20000, 0x60000))).toBe(true)
  expect(Buffer.from(two.chip.flash.read(0x9000, 0x4000)).includes('fresh-claim')).toBe(true)
  expect(await flasher.listPorts()).toBeInstanceOf(Array)
  await flasher.close()
  await Promise.all([one.pty.close(), two.pty.close()])
})

test.runIf(process.platform === 'linux')(
  'a killed flasher fails its lanes, releases the port and is started again',
  async () => {
    const { launcher, children } = spyingLauncher()
    const flasher = createFlasher({ launcher, log: silentLog })
    const { pty, chip } = ptyChip(['pace=115200'])
    const writing = Promise.withResolvers<void>()
    const onEvent = (event: LaneEvent) => {
      if (event.type === 'progress') writing.resolve()
    }
    const lane = flasher.startLane({ port: pty.port, parts: [part()], erase: 'none' }, { onEvent })
    await writing.promise
    children[0]?.kill(true)
    expect(await lane.outcome).toMatchObject({ result: 'failed', code: 'flash-flasher-stopped' })
    chip.pressReset(true)
    const again = flasher.startLane({ port: pty.port, parts: [part()], erase: 'none' }, { onEvent })
    const restarted = await new Promise<boolean>((resolve) => {
      void again.outcome.then(() => resolve(false))
      const timer = setInterval(() => {
        if (children.length < 2) return
        clearInterval(timer)
        resolve(true)
      }, 20)
    })
    expect(restarted).toBe(true)
    again.cancel()
    expect(await again.outcome).toMatchObject({ result: 'failed', code: 'flash-cancelled' })
    await flasher.close()
    await pty.close()
  },
)

test('a file that changed since it was chosen is refused before the port is opened', async () => {
  const flasher = createFlasher({ launcher: createForkLauncher(process.env), log: silentLog })
  const changed = { ...part(), sha256: '00'.repeat(32) }
  const events: LaneEvent[] = []
  const lane = flasher.startLane(
    { port: '/dev/no-such-port', parts: [changed], erase: 'none' },
    { onEvent: (event) => events.push(event) },
  )
  expect(await lane.outcome).toMatchObject({ result: 'failed', code: 'image-changed' })
  expect(events.at(-1)?.type).toBe('done')
  await flasher.close()
  expect(
    (await flasher.startLane({ port: 'x', parts: [], erase: 'none' }, { onEvent: () => undefined }).outcome).code,
  ).toBe('flash-flasher-stopped')
})
