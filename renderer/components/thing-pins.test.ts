import { expect, test } from 'vitest'
import { gpios, pinMarks } from './thing-pins.ts'

const board = {
  id: 'devkit',
  name: 'DevKit',
  pins: [
    { gpio: 35, use: 'psram', taken: true },
    { gpio: 0, use: 'strapping', taken: false },
  ],
}
const marks = (...pins: (number | null)[]) =>
  pinMarks(
    pins.map((gpio, index) => ({ role: `r${index}`, gpio })),
    board,
  ).map(({ problem, use }) => [problem, use])

test('a pin that the board needs, one that starts the chip and one used twice are marked with the reason', () => {
  expect(marks(35, 0, 4, 4, 5, null)).toEqual([
    ['taken', 'psram'],
    ['shared', 'strapping'],
    ['double', null],
    ['double', null],
    [null, null],
    [null, null],
  ])
})

test('a number that the chip does not have is no pin', () => {
  expect(marks(23)).toEqual([['absent', null]])
  expect(gpios).toHaveLength(45)
})
