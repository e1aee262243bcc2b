import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeVirtualImage } from '../../firmware/virtual/make-image.ts'
import { flashWith, startChip } from '../support/chip-port.ts'
import { freshDir, startRoost } from '../support/roost-server.ts'

async function imageIn(dir: string): Promise<string> {
  const file = join(dir, 'image.bin')
  await writeFile(file, makeVirtualImage())
  return file
}

test('a cable pulled in the middle of a flash is named, never "done", and the same flash works once it is back', async () => {
  const dir = await freshDir('chip')
  const chip = await startChip(dir, ['--fault', 'unplug@block=6'])
  const image = await imageIn(dir)
  const pulled = await flashWith(['--port', chip.port, '--image', image])
  expect(pulled).toMatchObject({ code: 1, last: { result: 'failed', code: 'flash-unplugged' } })
  await chip.line(({ event }) => event === 'unplugged')
  const port = await chip.plug()
  chip.write('download\n')
  await chip.line(({ event, mode }) => event === 'boot' && mode === 'download')
  expect(await flashWith(['--port', port, '--image', image])).toMatchObject({ code: 0, last: { result: 'written' } })
  const held = await chip.flash()
  expect(held.subarray(0, makeVirtualImage().length).equals(makeVirtualImage())).toBe(true)
})

test('in the console the job fails with the same code, its port is free again, and retry proves nothing by itself', async () => {
  const roost = await startRoost()
  const client = await roost.rpc()
  const chip = await startChip(await freshDir('chip'), ['--fault', 'unplug@block=4'])
  const image = (await client.flash.images())[0]!
  const { jobId } = await client.flash.start({
    ports: [chip.port],
    imageId: image.id,
    wifi: [],
    name: '',
    provision: false,
    erase: 'none',
  })
  await expect.poll(async () => (await client.jobs.get({ id: jobId })).state, { timeout: 40_000 }).not.toBe('running')
  expect(await client.jobs.get({ id: jobId })).toMatchObject({
    state: 'failed',
    code: 'flash-unplugged',
    retryable: true,
    lanes: [{ result: 'failed', code: 'flash-unplugged' }],
  })
  const { jobId: retried } = await client.jobs.retry({ id: jobId })
  await expect.poll(async () => (await client.jobs.get({ id: retried })).state, { timeout: 40_000 }).toBe('failed')
  expect((await client.jobs.get({ id: retried })).code).toMatch(/^flash-(port-not-found|unplugged|no-answer)$/)
  expect(await roost.isHealthy()).toBe(true)
})
