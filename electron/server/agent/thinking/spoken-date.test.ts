import { expect, test } from 'vitest'
import type { ToolVersion } from '../../../contract/tool.ts'
import { createRuleThinking } from './rule-thinking.ts'
import { detectLanguage } from './language.ts'
import { dayOf, isoDate, isoDateTime, momentOf, wallOf } from './spoken-date.ts'

const now = new Date(2026, 10, 30, 15, 0)

const alarm: ToolVersion = {
  name: 'set_alarm',
  version: 1,
  description: '',
  arguments: {
    type: 'object',
    properties: { at: { type: 'string', format: 'date-time' }, title: { type: 'string' } },
    required: ['at'],
  },
  result: null,
  danger: 'harmless',
  idempotent: false,
  timeoutMs: 1000,
  status: 'published',
  createdAt: 0,
  origin: 'builtin',
  speech: {
    target: { en: [], zh: [] },
    parameters: {},
    values: {},
    reply: {},
    phrases: { en: ['set alarm (for | at) {at}', 'add {title} [on] {at}'], zh: ['{at} 叫我', '{at} 有 {title}'] },
  },
}

async function answer(text: string): Promise<string> {
  const said: string[] = []
  const input = {
    text,
    language: detectLanguage(text),
    tools: [alarm],
    call: () => Promise.reject(new Error('nothing may be called')),
    signal: new AbortController().signal,
    context: {},
    deviceId: 'board',
    report: { answeredBy: () => undefined, note: () => undefined },
  }
  for await (const sentence of createRuleThinking({ now: () => now }).think(input)) said.push(sentence.text)
  return said.join(' ')
}

test.each([
  ["set an alarm at 25 o'clock", "25 o'clock is no time of day. Please say another."],
  ['set an alarm for 7:75', '7 75 is no time of day. Please say another.'],
  ['add dentist on 30 February at 9 am', '30 february is no date. Please say another.'],
  ['add dentist on february thirtieth at 9 am', 'February thirtieth is no date. Please say another.'],
  ['二十五点叫我', '没有25点这个时间，请换一个。'],
  ['二月三十号上午九点有牙医', '没有2月30号这一天，请换一个。'],
  ['十三月一号上午九点有牙医', '没有13月1号这一天，请换一个。'],
])('%s: the answer says what there is none of', async (text, wanted) => {
  expect(await answer(text)).toBe(wanted)
})

test('an impossible time in a text that is no command is not understood, and no more', async () => {
  expect(await answer("I heard it at 25 o'clock")).toBe('Sorry, I did not understand that.')
})

test.each([
  ['friday at 4', 'en', '2026-12-04T16:00'],
  ['friday at 4 am', 'en', '2026-12-04T04:00'],
  ['tomorrow at 7', 'en', '2026-12-01T07:00'],
  ['at 5', 'en', '2026-11-30T17:00'],
  ['明天3点', 'zh', '2026-12-01T15:00'],
  ['明天凌晨3点', 'zh', '2026-12-01T03:00'],
  ['下周一下午3点', 'zh', '2026-12-07T15:00'],
] as const)('%s is %s %s', (said, language, wanted) => {
  const moment = momentOf(said, language, wallOf(now))
  expect(moment === undefined ? undefined : isoDateTime(moment)).toBe(wanted)
})

test('29 February waits for a leap year, and in another year there is none', () => {
  const day = dayOf('february 29', 'en', wallOf(now))
  expect(day === undefined ? undefined : isoDate(day)).toBe('2028-02-29')
  expect(dayOf('february 29 2027', 'en', wallOf(now))).toBeUndefined()
})
