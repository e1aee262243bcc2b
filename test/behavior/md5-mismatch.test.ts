import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeVirtualImage } from '../../firmware/virtual/make-image.ts'
import { flashWith, startChip } from '../support/chip-port.ts'
import { freshDir } from '../support/roost-server.ts'

test('a flash whose content is not what was sent is never called written', async () => {
  const dir = await freshDir('chip')
  const image = join(dir, 'image.bin')
  await writeFile(image, makeVirtualImage())
  const chip = await startChip(dir, ['--fault', 'md5-flip'])
  const end = await flashWith(['--port', chip.port, '--image', image])
  expect(end).toMatchObject({ code: 1, last: { result: 'failed', code: 'flash-verify-failed' } })
  expect(end.last['message']).toMatch(/0x[0-9a-f]+/i)
  const held = await chip.flash()
  expect(held.subarray(0, makeVirtualImage().length).equals(makeVirtualImage())).toBe(false)
})
