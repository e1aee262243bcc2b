import { expect, test } from 'vitest'
import { createLineFeed, maxMessageBytes } from './line-feed.ts'

test('lines come out whole wherever the chunks were split', () => {
  const bytes = Buffer.from('{"a":"灯"}\r\n\n{"b":2}\n{"c"')
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const feed = createLineFeed()
    const lines = [bytes.subarray(0, cut), bytes.subarray(cut)].flatMap((part) => feed.read(part, 0) ?? ['cut'])
    expect(lines).toEqual(['{"a":"灯"}', '', '{"b":2}'])
  }
})

test('a line of more than 1 MiB cuts the sender off for good', () => {
  const feed = createLineFeed()
  expect(feed.read(Buffer.alloc(maxMessageBytes, 0x61), 0)).toEqual([])
  expect(feed.read(Buffer.from('a'), 1)).toBeUndefined()
  expect(feed.read(Buffer.from('\n'), 60_000)).toBeUndefined()
})

test('two thousand lines in a second are a flood, and so are 32 MiB in ten', () => {
  const many = createLineFeed()
  expect(many.read(Buffer.from('\n'.repeat(1_999)), 0)).toHaveLength(1_999)
  expect(many.read(Buffer.from('\n'), 10)).toBeUndefined()
  const big = createLineFeed()
  const line = Buffer.concat([Buffer.alloc(maxMessageBytes - 1, 0x61), Buffer.from('\n')])
  const answers = Array.from({ length: 33 }, (_, at) => big.read(line, at * 100))
  expect(answers.slice(0, 32).every((lines) => lines?.length === 1)).toBe(true)
  expect(answers[32]).toBeUndefined()
})
