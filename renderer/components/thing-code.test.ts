import { expect, test } from 'vitest'
import { codePieces } from './thing-code.ts'

test('the pieces of a text are the text again', () => {
  const text = '#include "a.h"\n// fill in\nstatic int f(void) { return 16; } /* "no string" */ "a\\"b"\n'

  expect(
    codePieces(text, 'c')
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text)
})

test('comments, strings, words and numbers are told apart', () => {
  const kinds = codePieces('return "x"; // 1\n42', 'cpp').filter(({ kind }) => kind !== 'plain')

  expect(kinds).toEqual([
    { text: 'return', kind: 'word' },
    { text: '"x"', kind: 'string' },
    { text: '// 1', kind: 'comment' },
    { text: '42', kind: 'number' },
  ])
  expect(codePieces('return', 'text')).toEqual([{ text: 'return', kind: 'plain' }])
})
