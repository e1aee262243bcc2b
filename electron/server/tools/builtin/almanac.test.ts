import { expect, test } from 'vitest'
import { almanacTools } from './almanac-tools.ts'
import { instantOf } from './wall-time.ts'

const zone = 'Asia/Shanghai'
const call = {
  deviceId: 'b',
  language: 'zh',
  signal: new AbortController().signal,
  caller: { kind: 'test', id: 't' },
} as const

function ask(name: string, args: Record<string, unknown>, now = '2026-12-01T12:00') {
  const tools = almanacTools({ wall: () => instantOf(now, zone), zone: () => zone })
  return (tools.find((tool) => tool.name === name) ?? expect.fail(name)).run(args, call)
}

// The first is the example of the library's own pages; the others are new years, festivals and leap months of the
// almanac that the Purple Mountain Observatory publishes.
test.each([
  ['1986-05-29', { year: 1986, month: 4, day: 21, leap: false, spoken_zh: '农历丙寅年（虎年）四月廿一。' }],
  ['2024-02-10', { year: 2024, month: 1, day: 1, leap: false, spoken_zh: '农历甲辰年（龙年）正月初一，春节。' }],
  ['2024-02-09', { year: 2023, month: 12, day: 30, leap: false, spoken_zh: '农历癸卯年（兔年）腊月三十，除夕。' }],
  ['2023-03-22', { year: 2023, month: 2, day: 1, leap: true, spoken_zh: '农历癸卯年（兔年）闰二月初一。' }],
  ['2025-07-25', { year: 2025, month: 6, day: 1, leap: true, spoken_zh: '农历乙巳年（蛇年）闰六月初一。' }],
  ['2026-09-25', { year: 2026, month: 8, day: 15, leap: false, spoken_zh: '农历丙午年（马年）八月十五，中秋节。' }],
])('%s by the lunar calendar', async (date, wanted) => {
  expect(await ask('lunar_date', { date })).toMatchObject(wanted)
})

test('the lunar date of today is told in English, too', async () => {
  expect(await ask('lunar_date', {}, '2023-03-22T08:00')).toMatchObject({
    spoken_en: 'Day 1 of the leap lunar month 2, year of the rabbit.',
  })
})

// Examples of the library's own tests and pages.
test.each([
  ['2005-12-23T08:37', ['乙酉', '戊子', '辛巳', '壬辰']],
  ['1988-02-15T23:30', ['戊辰', '甲寅', '庚子', '戊子']],
  ['1999-06-07T09:11', ['己卯', '庚午', '庚寅', '辛巳']],
  // The year of the pillars begins with the start of spring, not with the new year's day.
  ['2024-02-04T16:00', ['癸卯', '乙丑', '戊戌', '庚申']],
  ['2024-02-04T17:00', ['甲辰', '丙寅', '戊戌', '辛酉']],
])('the eight characters of %s', async (at, pillars) => {
  expect(await ask('eight_characters', { at })).toMatchObject({ pillars, spoken_zh: `${pillars.join('，')}。` })
})

test('the solar term of now and the next are told', async () => {
  expect(await ask('solar_term', {})).toMatchObject({
    now: '小雪',
    next: '大雪',
    next_date: '2026-12-07',
    spoken_en: 'It is Minor Snow; Major Snow begins on 2026-12-07.',
    spoken_zh: '现在是小雪，下一个是12月7日的大雪。',
  })
})

test('what is no date is refused', async () => {
  await expect(ask('lunar_date', { date: '2026-13-45' })).rejects.toMatchObject({ code: 'tool-bad-arguments' })
})
