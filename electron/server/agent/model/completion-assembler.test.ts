import { expect, test } from 'vitest'
import { createAssembler, errorMessage } from './completion-assembler.ts'

const delta = (value: object) => JSON.stringify({ choices: [{ index: 0, delta: value }] })
const call = (value: object) => delta({ tool_calls: [value] })

function assemble(...pieces: readonly string[]) {
  const assembler = createAssembler()
  const text = pieces.map((piece) => assembler.add(piece)).join('')
  return { text, calls: assembler.calls() }
}

test('text comes as it streams, and two calls that are woven into each other are put together', () => {
  const { text, calls } = assemble(
    delta({ role: 'assistant', content: null }),
    delta({ content: 'Hel' }),
    delta({ content: 'lo.', reasoning_content: 'hidden' }),
    call({ index: 0, id: 'a', type: 'function', function: { name: 'set_lamp', arguments: '' } }),
    call({ index: 0, function: { arguments: '{"on":' } }),
    call({ index: 1, id: 'b', function: { name: 'read', arguments: '{}' } }),
    call({ index: 0, function: { arguments: 'true}' } }),
    JSON.stringify({ choices: [], usage: { total_tokens: 9 } }),
    JSON.stringify({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] }),
  )
  expect(text).toBe('Hello.')
  expect(calls).toEqual([
    { id: 'a', name: 'set_lamp', arguments: '{"on":true}' },
    { id: 'b', name: 'read', arguments: '{}' },
  ])
})

test('the habits of other servers are read too: no index, no id, an object, a repeated name, no stream', () => {
  const whole = { id: 'x', function: { name: 'read', arguments: { of: 'lamp' } } }
  expect(assemble(call(whole), call({ ...whole, id: 'y' })).calls.map(({ id }) => id)).toEqual(['x', 'y'])
  expect(
    assemble(call({ function: { name: 'read', arguments: '{"a"' } }), call({ function: { arguments: ':1}' } })).calls,
  ).toEqual([{ id: 'call_0', name: 'read', arguments: '{"a":1}' }])
  const again = { index: 0, id: 'x', function: { name: 'read', arguments: '{' } }
  expect(assemble(call(again), call({ ...again, function: { name: 'read', arguments: '}' } })).calls).toEqual([
    { id: 'x', name: 'read', arguments: '{}' },
  ])
  const message = { content: 'Hi.', tool_calls: [whole] }
  expect(assemble(JSON.stringify({ choices: [{ message }] }))).toEqual({
    text: 'Hi.',
    calls: [{ id: 'x', name: 'read', arguments: '{"of":"lamp"}' }],
  })
})

test.each([
  ['no JSON', '{"choices":', 'model-bad-answer'],
  ['another shape', '{"choices":"many"}', 'model-bad-answer'],
  ['a number', '7', 'model-bad-answer'],
  ['a deep nest', '['.repeat(100_000), 'model-bad-answer'],
  ['a negative index', call({ index: -1, id: 'a' }), 'model-bad-answer'],
  ['an error', '{"error":{"message":"out of memory"}}', 'model-refused'],
  ['endless arguments', call({ index: 0, function: { name: 'a', arguments: 'x'.repeat(17_000) } }), 'model-flooded'],
  ['an endless name', call({ index: 0, function: { name: 'x'.repeat(200) } }), 'model-flooded'],
  ['an endless id', call({ index: 0, id: 'x'.repeat(300) }), 'model-flooded'],
  ['a long text', delta({ content: 'x'.repeat(70_000) }), 'model-flooded'],
])('a piece that is %s has a typed error', (_name, piece, code) => {
  expect(() => assemble(piece)).toThrow(expect.objectContaining({ code }) as Error)
})

test('sizes are limited over all pieces, not in one', () => {
  const more = call({ index: 0, function: { name: 'a', arguments: 'x'.repeat(1000) } })
  expect(() => assemble(...Array.from({ length: 20 }, () => more))).toThrow(/16 KiB/)
  const many = Array.from({ length: 17 }, (_, index) => call({ index, id: `i${index}`, function: { name: 'a' } }))
  expect(() => assemble(...many)).toThrow(/16 calls/)
  expect(() => assemble(...Array.from({ length: 70 }, () => delta({ content: 'x'.repeat(1000) })))).toThrow(/64 Ki/)
})

test('an error is read in the forms that servers use, and is short', () => {
  expect(errorMessage({ error: { message: 'no such\n model' } })).toBe('no such model')
  expect(errorMessage({ error: 'busy' })).toBe('busy')
  expect(errorMessage('<html>')).toBe('<html>')
  expect(errorMessage({ message: 'x'.repeat(999) })).toHaveLength(300)
  expect(errorMessage(undefined)).toBe('')
})
