import { expect, test } from 'vitest'
import { unwrapResult } from './call-result.ts'

test.each<[string, Record<string, unknown>, unknown]>([
  ['a plain object', { status: 'ok' }, { ok: true, value: { status: 'ok' } }],
  ['an empty object', {}, { ok: true, value: {} }],
  [
    'structured content before text',
    { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { celsius: 21 } },
    { ok: true, value: { celsius: 21 } },
  ],
  ['text that is JSON', { content: [{ type: 'text', text: '{"celsius":21}' }] }, { ok: true, value: { celsius: 21 } }],
  ['text that is not', { content: [{ type: 'text', text: 'done' }] }, { ok: true, value: { text: 'done' } }],
  [
    'an error with its words',
    { isError: true, content: [{ type: 'text', text: 'no lamp' }] },
    { ok: false, message: 'no lamp' },
  ],
  ['an error without words', { isError: true }, { ok: false, message: 'The board reported an error' }],
  ['no error beside own fields', { isError: false, volume: 3 }, { ok: true, value: { isError: false, volume: 3 } }],
  ['content that is a field of the tool', { content: 'milk' }, { ok: true, value: { content: 'milk' } }],
])('%s', (_, raw, expected) => {
  expect(unwrapResult(raw)).toEqual(expected)
})
