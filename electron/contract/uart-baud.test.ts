import { expect, test } from 'vitest'
import { garbled, guessBaud } from './uart-baud.ts'
import { boardLine, mcuLine } from './uart-wire.ts'

const line = new TextEncoder().encode(mcuLine({ type: 'volume-check' }))

test('the same speed changes nothing, another one makes other bytes', () => {
  expect(garbled(line, 115_200, 115_200)).toEqual(line)
  expect(garbled(line, 115_200, 115_300)).toEqual(line)
  expect(garbled(line, 9600, 115_200)).not.toEqual(line)
})

test('a receiver of twice the speed reads the bits twice, as a real one does', () => {
  // 'U' = 0x55: start 0, then 1 0 1 0 1 0 1 0, stop 1. Read at twice the speed: 0·0 11 00 11 0 → 0xe6 0xcc 0xb3 …
  expect(garbled(Uint8Array.of(0x55), 100, 200)[0]).toBe(0b01100110)
})

const speeds = [
  [9600, 115_200],
  [57_600, 115_200],
  [230_400, 115_200],
  [921_600, 115_200],
  [115_200, 9600],
  [115_200, 921_600],
  [1_000_000, 115_200],
] as const

test.each(speeds)('a sender at %d that is read at %d is found out', (from, to) => {
  const lines = [
    mcuLine({ type: 'wake-up', seconds: 12 }),
    mcuLine({ type: 'mcp-tool', tools: [{ name: 'ACSwitch', description: '空调', properties: {} }] }),
    boardLine({ type: 'state', state: 'AI Start' }),
  ]
  const guesses = lines.map((text) => guessBaud(garbled(new TextEncoder().encode(text.repeat(8)), from, to), to))
  expect(guesses).toEqual(lines.map(() => from))
})

test('text that is read well and noise are no other speed', () => {
  expect(guessBaud(line, 115_200)).toBeUndefined()
  expect(
    guessBaud(
      Uint8Array.from({ length: 60 }, (_, at) => (at * 97 + 13) & 0xff),
      115_200,
    ),
  ).toBeUndefined()
})
