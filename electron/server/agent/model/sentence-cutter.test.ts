import { expect, test } from 'vitest'
import { createSentenceCutter } from './sentence-cutter.ts'

function cut(text: string, size: number): string[] {
  const cutter = createSentenceCutter()
  const out: string[] = []
  for (let at = 0; at < text.length; at += size) out.push(...cutter.push(text.slice(at, at + size)))
  return [...out, ...cutter.end()]
}

test.each([
  ['It is 21.5 degrees. The lamp is on! Anything else?', ['It is 21.5 degrees.', 'The lamp is on!', 'Anything else?']],
  ['灯已打开。现在25度，很舒服！还要什么？', ['灯已打开。', '现在25度，很舒服！', '还要什么？']],
  ['<think>The user. wants!</think>\n\nYes. **Done** with `it`.', ['Yes.', 'Done with it.']],
  ['# List\n- one\n- two\n1. [three](http://x)', ['List', 'one', 'two', 'three']],
  ['a < b and c <thin', ['a < b and c <thin']],
  ['<think>never ends. really.', []],
  ['', []],
])('%j is the same sentences whatever the pieces are', (text, sentences) => {
  for (const size of [1, 2, 3, 7, 500]) expect([size, cut(text, size)]).toEqual([size, sentences])
})

test('a sentence leaves as soon as the next one begins, and a long first one gives its first clause away', () => {
  const cutter = createSentenceCutter()
  expect(cutter.push('The lamp is on.')).toEqual([])
  expect(cutter.push(' And')).toEqual(['The lamp is on.'])
  const long = createSentenceCutter()
  const begin = 'Once upon a time there was a very small board in a classroom, and it'
  expect(long.push(begin)).toEqual(['Once upon a time there was a very small board in a classroom,'])
})
