import { expect, test } from 'vitest'
import { ToolVersion } from '../../../contract/tool.ts'
import { matchSaid } from './intent-matcher.ts'
import { detectLanguage } from './language.ts'

/** A Monday afternoon. */
const now = new Date(2026, 10, 30, 15, 0)

function tool(
  name: string,
  properties: Record<string, unknown>,
  phrases: { en?: string[]; zh?: string[] },
): ToolVersion {
  return ToolVersion.parse({
    name, version: 1, status: 'published', description: '', result: null, danger: 'harmless', idempotent: false, timeoutMs: 5000,
    arguments: { type: 'object', properties, required: Object.keys(properties) }, createdAt: 0, origin: 'person',
    speech: { phrases: { en: phrases.en ?? [], zh: phrases.zh ?? [] } },
  }) // prettier-ignore
}
const call = (text: string, tools: readonly ToolVersion[], onTry?: () => void) => {
  const match = matchSaid({ text, language: detectLanguage(text), now, ...(onTry ? { onTry } : {}) }, tools)
  return match && 'tool' in match ? { tool: match.tool.name, arguments: { ...match.arguments } } : match
}
const when = tool(
  'when',
  { at: { type: 'string', format: 'date-time' } },
  { en: ['meet at {at}', 'meet {at}'], zh: ['见面{at}'] },
)
const length = tool('length', { for: { type: 'string', format: 'duration' } }, { en: ['wait {for}'], zh: ['等{for}'] })

test.each([
  ['meet at seven thirty', '2026-11-30T19:30'], ['meet at two', '2026-12-01T02:00'], ['meet tomorrow at 8 pm', '2026-12-01T20:00'],
  ['meet at 7:05 a.m.', '2026-12-01T07:05'], ['meet at quarter to nine in the evening', '2026-11-30T20:45'], ['meet at ten to one', '2026-12-01T00:50'],
  ['meet on december twenty fourth at noon', '2026-12-24T12:00'], ['meet next friday at 9', '2026-12-11T09:00'], ['meet tonight at nine', '2026-11-30T21:00'],
  ['meet the day after tomorrow at six in the morning', '2026-12-02T06:00'], ['meet tomorrow morning', '2026-12-01T08:00'],
  ['meet in 3 days at 4 pm', '2026-12-03T16:00'], ['meet 2027-01-02 at 10 am', '2027-01-02T10:00'], ['meet on february 29 at noon', '2028-02-29T12:00'],
  ['见面明天早上七点', '2026-12-01T07:00'], ['见面下午三点半', '2026-11-30T15:30'], ['见面七点三十', '2026-11-30T19:30'], ['见面下午三点五分', '2026-11-30T15:05'],
  ['见面晚上八点一刻', '2026-11-30T20:15'], ['见面下午一点', '2026-12-01T13:00'], ['见面大后天中午', '2026-12-03T12:00'], ['见面12月24号晚上8:30', '2026-12-24T20:30'],
  ['见面下周一上午十点', '2026-12-07T10:00'], ['见面今晚九点', '2026-11-30T21:00'],
] as const)('%s', (text, at) => expect(call(text, [when])).toEqual({ tool: 'when', arguments: { at } })) // prettier-ignore

test.each(['meet at 25', 'meet at 7:75', 'meet on february 30 at noon', '见面25点'])('%s is no moment', (text) =>
  expect(call(text, [when])).toBeNull(),
)

test.each([
  ['wait five minutes', 'PT5M'], ['wait an hour and a half', 'PT1H30M'], ['wait half an hour', 'PT30M'], ['wait two and a half hours', 'PT2H30M'],
  ['wait a quarter of an hour', 'PT15M'], ['wait 1 hour 20 minutes and 5 seconds', 'PT1H20M5S'], ['wait a couple of days', 'P2D'], ['wait a minute', 'PT1M'],
  ['等五分钟', 'PT5M'], ['等半小时', 'PT30M'], ['等一个半小时', 'PT1H30M'], ['等两小时半', 'PT2H30M'], ['等三刻钟', 'PT45M'], ['等1小时20分钟5秒', 'PT1H20M5S'],
] as const)('%s', (text, iso) => expect(call(text, [length])).toEqual({ tool: 'length', arguments: { for: iso } })) // prettier-ignore

test('a free text keeps the words of the person, and the rest must be understood', () => {
  const note = tool('note', { text: { type: 'string' } }, { en: ['note {text} now'], zh: ['记下{text}'] })
  expect(call('Note: buy TWO loaves for Anna', [note])).toBeNull()
  expect(call('Note: buy TWO loaves for Anna now', [note])).toEqual({
    tool: 'note',
    arguments: { text: 'buy TWO loaves for Anna' },
  })
  expect(call('记下：给Anna打电话', [note])).toEqual({ tool: 'note', arguments: { text: '给Anna打电话' } })
  const list = tool(
    'list',
    { item: { type: 'string' }, list: { type: 'string' } },
    { en: ['add {item} to {list} list'] },
  )
  expect(call('add the Two big LOAVES of bread to the Shopping list', [list])).toEqual({
    tool: 'list',
    arguments: { item: 'Two big LOAVES of bread', list: 'Shopping' },
  })
})

test('a statement keeps its first article, a short name does without', () => {
  const tell = tool('tell', { text: { type: 'string' } }, { en: ['announce [that] {text}', 'play {text}'] })
  const told = (say: string) => call(say, [tell])
  expect(told('Announce the Bus is here!')).toEqual({ tool: 'tell', arguments: { text: 'the Bus is here' } })
  expect(told('announce that a parcel has come')).toEqual({ tool: 'tell', arguments: { text: 'a parcel has come' } })
  expect(told('play the wall')).toEqual({ tool: 'tell', arguments: { text: 'wall' } })
})

test('a command inside a command is matched by the other tools, one step deep', () => {
  const later = tool(
    'later',
    { what: { type: 'object', format: 'tool-call' }, in: { type: 'string', format: 'duration' } },
    { en: ['{what} in {in}', 'in {in} {what}'] },
  )
  const bell = tool('bell', {}, { en: ['ring bell'] })
  expect(call('in ten minutes ring the bell', [later, bell])).toEqual({
    tool: 'later',
    arguments: { in: 'PT10M', what: { tool: 'bell', arguments: {} } },
  })
  expect(call('in ten minutes in five minutes ring the bell', [later, bell])).toBeNull()
  expect(call('sing a song in ten minutes', [later, bell])).toBeNull()
})

test('sentences that cannot be used are left out: no word of their own, broken brackets, too many gaps', () => {
  const open = tool(
    'open',
    { text: { type: 'string' } },
    { en: ['{text}', '[please] {text}', '((broken {text}', 'a {nothing}'] },
  )
  expect(call('whatever is said', [open])).toBeNull()
  expect(call('broken thing', [open])).toBeNull()
})

test('with 200 tools the work follows the sentence, not the number of tools', () => {
  const tools = Array.from({ length: 200 }, (_, at) =>
    tool(
      `tool${at}`,
      { for: { type: 'string', format: 'duration' } },
      { en: [`machine${at} (wait | run) {for}`], zh: [`机器${at}等{for}`] },
    ),
  )
  let tries = 0
  expect(call('machine77 run five minutes', tools, () => tries++)).toEqual({
    tool: 'tool77',
    arguments: { for: 'PT5M' },
  })
  expect(tries).toBeLessThanOrEqual(2)
  tries = 0
  expect(call('tell me a story about machines and lamps', tools, () => tries++)).toBeNull()
  expect(tries).toBe(0)
})
