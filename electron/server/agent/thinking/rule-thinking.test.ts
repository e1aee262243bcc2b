import { expect, test } from 'vitest'
import { AppError } from '../../../base/app-error.ts'
import { bornTools } from '../../../contract/born-tools.ts'
import type { ToolCall } from '../../../contract/tool.ts'
import type { ThinkingInput } from '../providers.ts'
import { detectLanguage } from './language.ts'
import { fixedPhrases } from './replies.ts'
import { createRuleThinking } from './rule-thinking.ts'

type Answer = Partial<ToolCall> | AppError
async function reply(text: string, answer: Answer = {}, more: Partial<ThinkingInput> = {}) {
  const calls: string[] = []
  const sentences: { text: string; cacheable: boolean }[] = []
  const input: ThinkingInput = {
    text,
    language: detectLanguage(text),
    tools: bornTools,
    signal: new AbortController().signal,
    async call(tool, args) {
      calls.push(`${tool.name} ${JSON.stringify(args)}`)
      if (answer instanceof AppError) throw answer
      return { ref: `${tool.name}@1`, arguments: args, outcome: 'ok', startedAt: 0, endedAt: 1, ...answer }
    },
    ...more,
  }
  const thinking = createRuleThinking({ now: () => new Date(2026, 0, 5, 19, 5) })
  for await (const sentence of thinking.think(input)) sentences.push(sentence)
  return { calls, sentences }
}
const said = async (text: string, answer?: Answer): Promise<string> =>
  (await reply(text, answer)).sentences.map((sentence) => sentence.text).join(' ')

test('a command is called once and answered from the tool’s own words', async () => {
  expect(await reply('turn on the lamp')).toEqual({
    calls: ['set_lamp {"on":true}'],
    sentences: [{ text: 'Okay, the lamp is on.', cacheable: true }],
  })
  expect(await said('把灯打开')).toBe('好的，灯开了。')
  expect(await said('set the lamp to 40 percent')).toBe('Okay, the lamp is at 40 percent.')
  expect(await said('turn the led red')).toBe('Okay, the LED is red now.')
})

test('a reading is spoken from the result, and not kept as a fixed phrase', async () => {
  const { sentences } = await reply('what is the temperature', { result: { celsius: 26.04 } })
  expect(sentences).toEqual([{ text: 'It is 26 degrees.', cacheable: false }])
  expect(await said('温度多少', { result: { structuredContent: { celsius: 25.5 } } })).toBe('现在25.5度。')
  expect(await said('what is the temperature', { result: { status: 'ok' } })).toBe('Okay, done.')
})

test('a number is spoken in plain digits, and one that nobody would understand as a failure', async () => {
  const reading = (celsius: number) => said('what is the temperature', { result: { celsius } })
  expect(await reading(999_999_999)).toBe('It is 999999999 degrees.')
  expect(await reading(-1e-9)).toBe('It is 0 degrees.')
  for (const celsius of [1e300, -1e9, 1e21, Infinity]) {
    expect(await reading(celsius)).toBe('The board could not do that.')
  }
  expect(await said('what is the temperature', { result: { raw: 1e300, other: 5 } })).toBe(
    'The board could not do that.',
  )
  expect(await said('turn on the lamp', { result: { at: 1e300 } })).toBe('Okay, the lamp is on.')
})

test('each way to fail is told apart', async () => {
  const texts = await Promise.all([
    said('turn on the lamp', { outcome: 'timeout' }),
    said('turn on the lamp', { outcome: 'failed', errorCode: 'tool-unreachable' }),
    said('turn on the lamp', new AppError('tool-unreachable', 'closed')),
    said('turn on the lamp', { outcome: 'refused' }),
    said('turn on the lamp', { outcome: 'failed' }),
    said('turn on the lamp', { outcome: 'cancelled' }),
    said('the moon is made of cheese'),
  ])
  expect(texts[1]).toContain("I can't reach that board's tools right now")
  expect(texts[2]).toBe(texts[1])
  expect(new Set(texts).size).toBe(6)
})

test('after an abort during the call nothing is said', async () => {
  const abort = new AbortController()
  const { sentences } = await reply(
    'turn on the lamp',
    {},
    {
      signal: abort.signal,
      async call(tool, args) {
        abort.abort()
        return { ref: `${tool.name}@1`, arguments: args, outcome: 'cancelled', startedAt: 0, endedAt: 1 }
      },
    },
  )
  expect(sentences).toEqual([])
})

test('time and abilities are answered without a call', async () => {
  expect(await reply('what time is it')).toEqual({
    calls: [],
    sentences: [{ text: 'It is 7:05 PM.', cacheable: false }],
  })
  expect(await said('现在几点了')).toBe('现在是19点零5分。')
  expect(await said('what can you do')).toContain('the fan')
})

test('phrases to make ahead hold every fixed reply in both languages and no gaps', () => {
  const phrases = fixedPhrases(bornTools)
  expect(phrases).toContainEqual({ text: 'Okay, the lamp is on.', language: 'en' })
  expect(phrases).toContainEqual({ text: '好的，灯开了。', language: 'zh' })
  expect(phrases.filter(({ text }) => text.includes('{'))).toEqual([])
})

test('a number beyond the range is not set, and the answer says what can be', async () => {
  const beyond = [
    ['set the fan to 120 percent', 'I can only set 0 to 100 percent.'],
    ['风扇调到百分之一百二', '只能设 0 到 100%。'],
  ] as const
  for (const [text, answer] of beyond) {
    const { calls, sentences } = await reply(text)
    expect({ text, calls, answer: sentences.map((sentence) => sentence.text) }).toEqual({
      text,
      calls: [],
      answer: [answer],
    })
  }
  expect((await reply('set the fan to maximum')).calls).toHaveLength(1)
})

test('what a rule forbids is asked for, refused, and told so; what is offered is never taken from there', async () => {
  const lamp = bornTools.filter(({ name }) => name === 'set_lamp')
  const withheld = async () => lamp
  const refused = { outcome: 'refused', errorCode: 'tool-withheld' } as const
  for (const [text, answer] of [
    ['turn on the lamp', 'That is not allowed right now.'],
    ['打开灯', '现在不允许这样做。'],
  ] as const) {
    const { calls, sentences } = await reply(text, refused, { tools: [], withheld })
    expect(calls).toEqual(['set_lamp {"on":true}'])
    expect(sentences.map((sentence) => sentence.text)).toEqual([answer])
  }
  const other = await reply('the moon is made of cheese', refused, { tools: [], withheld })
  expect(other.calls).toEqual([])
  expect(other.sentences[0]?.text).toBe('Sorry, I did not understand that.')
})

test('nothing is claimed of a sentence that names a device and says something else of it', async () => {
  const lines = [
    'turn on the lamp in the moon',
    'the lamp is on fire',
    'do not turn on the lamp',
    '别开灯',
    '月亮上的灯打开',
  ]
  for (const text of lines) {
    const { calls, sentences } = await reply(text)
    expect({ text, calls }).toEqual({ text, calls: [] })
    expect(['Sorry, I did not understand that.', '抱歉，我没听懂。']).toContain(sentences[0]?.text)
  }
})
