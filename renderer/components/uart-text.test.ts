import { expect, test } from 'vitest'
import type { UartFault, UartLine } from '../../electron/contract/uart.ts'
import { bytesOf, filterLines, hexRows, markedText, linesAbove } from './uart-text.ts'

const fault = (byte: number, rule = 'uart-json-space'): UartFault => ({ rule, byte, severity: 'error', message: rule })
const line = (over: Partial<UartLine>): UartLine => ({
  seq: 1,
  at: 0,
  from: 'mcu',
  raw: '',
  text: '',
  kind: 'answer',
  decoded: '',
  faults: [],
  turnId: null,
  latencyMs: null,
  ...over,
})

test('bytes are shown as hex and ASCII, sixteen a row', () => {
  const rows = hexRows(bytesOf(btoa('wake-up {"role":1}\r\n')))

  expect(rows.map(({ offset, bytes }) => [offset, bytes.length])).toEqual([
    [0, 16],
    [16, 4],
  ])
  expect(rows[1]?.bytes.map(({ hex, char }) => hex + char)).toEqual(['31' + '1', '7D}', '0D·', '0A·'])
})

test('a fault marks its own character, also after characters of several bytes', () => {
  expect(markedText('灯 on', [fault(3)])).toEqual([
    { text: '灯', fault: null },
    { text: ' ', fault: fault(3) },
    { text: 'on', fault: null },
  ])
})

test('a missing line end is marked behind the last character', () => {
  expect(markedText('ok', [fault(2, 'uart-no-line-end')]).at(-1)).toEqual({
    text: '␤',
    fault: fault(2, 'uart-no-line-end'),
  })
})

test('a filter wants every word, and errors means lines with a fault', () => {
  const lines = [line({ seq: 1, decoded: 'ACSwitch enabled=true', kind: 'call' }), line({ seq: 2, faults: [fault(0)] })]

  expect(filterLines(lines, 'call acswitch').map(({ seq }) => seq)).toEqual([1])
  expect(filterLines(lines, 'errors').map(({ seq }) => seq)).toEqual([2])
  expect(filterLines(lines, ' ')).toBe(lines)
})

test('lines that join or leave above are counted, and a window elsewhere shares none', () => {
  const window = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => ({ seq: from + at }))
  expect(linesAbove(window(10, 20), window(5, 18))).toBe(5)
  expect(linesAbove(window(10, 20), window(13, 22))).toBe(-3)
  expect(linesAbove(window(10, 20), window(10, 22))).toBe(0)
  expect(linesAbove(window(10, 20), window(50, 60))).toBe(0)
})
