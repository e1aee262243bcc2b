import { expect, test } from 'vitest'
import { sampleMerged } from '../support/esp-image.ts'
import { foreignNvs } from '../support/foreign-nvs.ts'
import { fuzzTargets, verdictOf } from '../support/fuzz.ts'
import { createHostile } from '../support/hostile-input.ts'

const seed = Math.floor(Math.random() * 2 ** 31)
const cases = 100_000

test.each(fuzzTargets)('a hundred thousand hostile inputs to the parser of $name', async (target) => {
  const hostile = createHostile(seed)
  const image = sampleMerged().subarray(0, 0x9000)
  const nvs = foreignNvs([{ namespace: 'wifi', key: 'ssid', string: 'TestNet' }], 0x3000)
  const faults: string[] = []
  for (let n = 0; n < cases && faults.length < 10; n += 1) {
    const text = hostile.text()
    const bytes = n % 200 === 0 ? hostile.damaged(image) : n % 3 === 0 ? hostile.damaged(nvs) : hostile.bytes(500)
    const fault = await verdictOf(target, { text, bytes })
    if (fault !== undefined) faults.push(`case ${n} of seed ${seed}: ${fault}`)
  }
  expect(faults).toEqual([])
})
