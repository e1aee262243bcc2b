import { expect, test } from 'vitest'
import { rankCommands, type Command } from './command-search.ts'

const command = (title: string, ...words: string[]): Command => ({
  id: title,
  title,
  hint: '',
  icon: 'fleet',
  words,
  run: () => undefined,
})
const commands = [
  command('Go to Flash', '烧录'),
  command('Flash a board'),
  command('小明的灯', 'aa:bb'),
  command('Theme: dark', '深色'),
]
const found = (query: string) => rankCommands(commands, query).map((one) => one.title)

test('everything is offered before a word is typed', () => {
  expect(found(' ')).toHaveLength(4)
})

test('a title that starts with the word comes before one that only holds it', () => {
  expect(found('flash')).toEqual(['Flash a board', 'Go to Flash'])
})

test('the other language and the number of a board find it too', () => {
  expect(found('烧录')).toEqual(['Go to Flash'])
  expect(found('aa:bb')).toEqual(['小明的灯'])
})

test('every word must occur', () => {
  expect(found('flash dark')).toEqual([])
  expect(found('theme da')).toEqual(['Theme: dark'])
})
