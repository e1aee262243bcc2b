import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitSpeech } from './sentences.ts'

test('a long first sentence gives its first clause away so that it sounds while the rest is made', () => {
  const text = 'I can control the lamp, the fan and the volume, and tell you the temperature. Just ask.'
  expect(splitSpeech(text)).toEqual([
    'I can control the lamp,',
    'the fan and the volume, and tell you the temperature.',
    'Just ask.',
  ])
})

test('a number is never cut, wherever it stands', () => {
  expect(splitSpeech('It is 26.5 degrees. There are 1,000 of them at 7:30 now.')).toEqual([
    'It is 26.5 degrees.',
    'There are 1,000 of them at 7:30 now.',
  ])
  const filler = fc.array(fc.constantFrom('word', '12,345.67', '26.5', '灯开了', 'and,', 'stop.'), {
    minLength: 1,
    maxLength: 200,
  })
  fc.assert(
    fc.property(filler, (words) => {
      const pieces = splitSpeech(words.join(' '))
      expect(pieces.every((piece) => piece.length <= 200)).toBe(true)
      const numbers = (text: string): string[] => text.match(/\d[\d.,]*\d/g) ?? []
      expect(pieces.flatMap(numbers)).toEqual(numbers(words.join(' ')))
    }),
  )
})

test('Chinese is cut at its own punctuation', () => {
  expect(splitSpeech('好的，灯开了。现在26度。')).toEqual(['好的，灯开了。', '现在26度。'])
})

test('text without letters or digits gives nothing to say', () => {
  expect(splitSpeech(' … !!! 🎉 \n')).toEqual([])
})
