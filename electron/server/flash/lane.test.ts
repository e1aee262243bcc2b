import { expect, test } from 'vitest'
import { createChipBench, planFor } from '../../../test/support/chip-bench.ts'
import { sampleApp, sampleMerged } from '../../../test/support/esp-image.ts'

test('a good board is detected, written, verified and started, in two seconds', async () => {
  const bench = createChipBench()
  const image = sampleMerged({ app: sampleApp({ length: 0x100000, random: true }) })
  const { outcome, events } = bench.flash(planFor(image))
  const end = await outcome
  console.log(end, events.filter((e) => e.type !== 'progress').map((e) => JSON.stringify(e)).join('\n'))
  expect(end).toMatchObject({ result: 'written', code: null, mac: '7c:df:a1:e0:12:34', retries: 0, degraded: false })
})
