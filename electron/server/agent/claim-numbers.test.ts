import { expect, test } from 'vitest'
import { quantitiesIn } from './claim-numbers.ts'

const minutes = (hour: number, minute = 0) => hour * 60 + minute

test.each([
  ['set to twenty-five percent', 'percent', 25],
  ['one hundred and twenty seconds', 'seconds', 120],
  ['an hour and a half', 'seconds', 5400],
  ['1 hour 30 minutes', 'seconds', 5400],
  ['blinds at three quarters', 'percent', 75],
  ['a dozen eggs', 'plain', 12],
  ['for a quarter past six', 'minutes', minutes(6, 15)],
  ['set for seven thirty tomorrow evening', 'minutes', minutes(19, 30)],
  ['ten to eight', 'minutes', minutes(7, 50)],
  ['at half six', 'minutes', minutes(6, 30)],
  ['调到百分之三十', 'percent', 30],
  ['拉开三分之一', 'percent', 33],
  ['亮度五成', 'percent', 50],
  ['一刻钟', 'seconds', 900],
  ['一个半小时', 'seconds', 5400],
  ['两分半钟', 'seconds', 150],
  ['二十一点五度', 'degrees', 21.5],
  ['晚上八点一刻', 'minutes', minutes(20, 15)],
  ['音量调到三十了', 'plain', 30],
])('%s is a number of its kind', (text, kind, value) => {
  expect(quantitiesIn(text)).toMatchObject([{ kind, value }])
})

test('what it was before, what is long ago and what only looks like a numeral is none', () => {
  expect(quantitiesIn('down to 30, from 50').map(({ value }) => value)).toEqual([30])
  expect(['10 minutes ago', '10分钟前', '百叶窗', '万一下雨'].flatMap(quantitiesIn)).toEqual([])
})
