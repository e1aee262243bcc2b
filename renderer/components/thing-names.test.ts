import { expect, test } from 'vitest'
import { namesFrom, namesText } from './thing-names.ts'

test('names are split at the commas of both languages, and a double one is one', () => {
  expect(namesFrom('台灯、灯，小灯, 灯,')).toEqual(['台灯', '灯', '小灯'])
  expect(namesFrom(' lamp ,, desk lamp')).toEqual(['lamp', 'desk lamp'])
  expect(namesText(['台灯', '灯'], 'zh')).toBe('台灯、灯')
})

test('more names than the contract takes are left out', () => {
  expect(namesFrom(Array.from({ length: 30 }, (_, index) => `n${index}`).join(','))).toHaveLength(20)
})
