import { expect, test } from 'vitest'
import { fuzzTargets, verdictOf } from '../support/fuzz.ts'
import { createHostile } from '../support/hostile-input.ts'
import { sampleMerged } from '../support/esp-image.ts'
import { foreignNvs } from '../support/foreign-nvs.ts'

const seed = 20_260_101
const cases = 1_500

test.each(fuzzTargets)(
  'hostile input to the parser of $name is answered or refused with a code, in time',
  async (target) => {
    const hostile = createHostile(seed)
    const image = sampleMerged().subarray(0, 0x9000)
    const nvs = foreignNvs([{ namespace: 'wifi', key: 'ssid', string: 'TestNet' }], 0x3000)
    const faults: string[] = []
    for (let n = 0; n < cases; n += 1) {
      const text = hostile.text()
      const bytes = n % 50 === 0 ? hostile.damaged(image) : n % 3 === 0 ? hostile.damaged(nvs) : hostile.bytes(2_000)
      const fault = await verdictOf(target, { text, bytes })
      if (fault !== undefined) faults.push(`case ${n} of seed ${seed}: ${fault}`)
    }
    expect(faults).toEqual([])
  },
)

test('the measure itself is red for a parser that throws something else, or is slow', async () => {
  const broken = { name: 'broken', takes: 'text', run: () => JSON.parse('{') as unknown } as const
  const nothing = { text: '', bytes: new Uint8Array() }
  expect(await verdictOf(broken, nothing)).toMatch(/^threw SyntaxError/)
  const slow = { name: 'slow', run: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 110) }
  expect(await verdictOf({ ...slow, takes: 'text' }, nothing)).toMatch(/^took 1\d\d ms/)
})
