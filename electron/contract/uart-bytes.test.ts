import { expect, test } from 'vitest'
import { createLineSplitter } from './uart-bytes.ts'
import { boardLine } from './uart-wire.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const subtitle = boardLine({ type: 'subtitle', text: '空调已打开 😊', emoji: '😊', emotion: 'happy' })

test('two lines come out the same at whatever byte the reader cuts them', () => {
  const all = bytes(`${subtitle}${subtitle}`)
  for (let cut = 0; cut <= all.length; cut += 1) {
    const splitter = createLineSplitter()
    const lines = [...splitter.push(all.subarray(0, cut)), ...splitter.push(all.subarray(cut))]
    expect(lines.map(({ text, end, badByte }) => ({ text, end, badByte }))).toEqual(
      Array(2).fill({ text: subtitle.trimEnd(), end: 'crlf', badByte: null }),
    )
    expect(splitter.waiting).toBe(0)
  }
})

test('the bytes of a line and its end are kept as they came', () => {
  const splitter = createLineSplitter()
  const [crlf, lf] = splitter.push(bytes('a\r\nb\nc'))
  const rest = splitter.flush()
  expect([crlf, lf, rest].map((line) => [Buffer.from(line!.raw).toString(), line!.text, line!.end])).toEqual([
    ['a\r\n', 'a', 'crlf'],
    ['b\n', 'b', 'lf'],
    ['c', 'c', 'none'],
  ])
  expect(splitter.flush()).toBeUndefined()
})

test('a line without end is cut at the limit and the next one is whole again', () => {
  const splitter = createLineSplitter(8)
  const lines = splitter.push(bytes('0123456789abcdefgh\r\nnext\r\n'))
  expect(lines.map(({ text, cut }) => [text, cut])).toEqual([
    ['01234567', true],
    ['89abcdef', true],
    ['gh', false],
    ['next', false],
  ])
})

test.each([
  [[0x61, 0xff, 0x62], 1],
  [[0xe4, 0xb8], 0],
  [[0x61, 0xc0, 0xaf], 1],
  [[0xed, 0xa0, 0x80], 0],
  [[0xf4, 0x90, 0x80, 0x80], 0],
  [[0xf0, 0x9f, 0x98, 0x8a], null],
])('the first byte that is no UTF-8 is named: %j', (raw, badByte) => {
  const [line] = createLineSplitter().push(Uint8Array.from([...raw, 0x0d, 0x0a]))
  expect(line?.badByte).toBe(badByte)
})
