import { expect, test } from 'vitest'
import { coloursOf, fitsColour } from './claim-colours.ts'

test.each([
  ['teal', [0, 128, 128]],
  ['orange', [255, 120, 30]],
  ['gold', [255, 200, 0]],
  ['淡紫', [200, 160, 255]],
  ['粉色', [255, 105, 180]],
  ['warm white', [255, 214, 170]],
  ['purple', [128, 0, 128]],
] as const)('%s may be said of its colour, and not of the opposite one', (name, [r, g, b]) => {
  expect(fitsColour(name, [r, g, b])).toBe(true)
  expect(fitsColour(name, [255 - r, 255 - g, 255 - b])).toBe(false)
})

test('neighbours fit by name, others do not', () => {
  expect(fitsColour('cyan', 'teal')).toBe(true)
  expect(fitsColour('红色', 'green')).toBe(false)
})

test('a colour is found as three numbers, as a hex text, as a hue and as a name', () => {
  expect(coloursOf({ r: 255, g: 0, b: 0 })).toEqual([[255, 0, 0]])
  expect(coloursOf({ color: '#00ff00' })).toEqual([[0, 255, 0]])
  expect(coloursOf({ hue: 240 })).toEqual([[0, 0, 255]])
  expect(coloursOf({ colour: 'Sky_blue' })).toEqual(['sky blue'])
})
