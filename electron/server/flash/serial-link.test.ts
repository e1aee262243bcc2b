import { expect, test } from 'vitest'
import { createChipBench } from '../../../test/support/chip-bench.ts'
import { createFrameChannel } from './frame-channel.ts'
import { openSerialLink } from './serial-link.ts'

test('200 connections leave no handle and no listener behind', async () => {
  const bench = createChipBench()
  const stop = new AbortController()
  const open = async () => {
    const link = await openSerialLink({ path: bench.path, baud: 115_200, binding: bench.binding })
    const channel = createFrameChannel(link, stop.signal)
    await link.write(Uint8Array.from([0xc0, 0xc0]))
    channel.end()
    await Promise.all([link.close(), link.close()])
  }
  await open()
  const before = process.getActiveResourcesInfo().length
  for (let cycle = 0; cycle < 200; cycle += 1) await open()
  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before)
})

test('an unplug closes the link once, and everything after it says so', async () => {
  const bench = createChipBench()
  const link = await openSerialLink({ path: bench.path, baud: 115_200, binding: bench.binding })
  const closed = Promise.withResolvers<boolean>()
  link.onClosed(closed.resolve)
  bench.chip.unplug()
  expect(await closed.promise).toBe(true)
  await expect(link.write(Uint8Array.from([1]))).rejects.toMatchObject({ code: 'flash-unplugged' })
  await link.close()
})

test('a port that is not there is told as that', async () => {
  await expect(openSerialLink({ path: '/dev/no-such-port', baud: 115_200 })).rejects.toMatchObject({
    code: 'flash-port-not-found',
  })
  const bench = createChipBench()
  const wrong = openSerialLink({ path: '/virtual/other', baud: 115_200, binding: bench.binding })
  await expect(wrong).rejects.toMatchObject({ code: 'flash-port-not-found' })
})
