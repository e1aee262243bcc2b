import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bornTools } from '../../../contract/born-tools.ts'
import { ToolVersion } from '../../../contract/tool.ts'
import type { SpokenLanguage } from '../providers.ts'
import { matchIntent } from './intent-matcher.ts'
import { detectLanguage } from './language.ts'

interface Row {
  readonly say: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}
const support = new URL('../../../../test/support/', import.meta.url)
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, support), 'utf8'))
const corpus = read('intent-corpus.json') as Row[]
const heldOut = read('intent-held-out.json') as Row[]
const chat = read('chat-lines.json') as string[]

function callFor(text: string, tools: readonly ToolVersion[] = bornTools) {
  const match = matchIntent(text, detectLanguage(text), tools)
  return match !== null && 'tool' in match ? { tool: match.tool.name, arguments: { ...match.arguments } } : undefined
}
const isRight = ({ say, ...call }: Row): boolean => isDeepStrictEqual(callFor(say), call)

/** A tool as a board lists it: a schema and nothing said about how people call it. */
function draft(name: string, properties: Record<string, unknown>, more: Partial<ToolVersion> = {}): ToolVersion {
  const required = Object.keys(properties)
  return ToolVersion.parse({
    name, version: 1, status: 'published', description: '', arguments: { type: 'object', properties, required },
    result: null, danger: 'physical', idempotent: false, timeoutMs: 10_000, speech: {}, createdAt: 0, origin: 'board', ...more,
  }) // prettier-ignore
}

test('every sentence of the corpus gives its call with its arguments', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(60)
  expect(corpus.filter((row) => !isRight(row)).map(({ say }) => say)).toEqual([])
})

test('at least 90 % of sentences that the table was not written for are understood, in each language', () => {
  for (const language of ['en', 'zh'] as const) {
    const rows = heldOut.filter(({ say }) => detectLanguage(say) === language)
    expect(rows.length).toBeGreaterThanOrEqual(50)
    expect(rows.filter(isRight).length / rows.length).toBeGreaterThanOrEqual(0.9)
  }
})

test('chat about lamps, fans and colours calls nothing', () => {
  expect(chat.length).toBeGreaterThanOrEqual(50)
  expect(chat.filter((line) => callFor(line) !== undefined)).toEqual([])
})

test('a match takes less than 0.2 ms of CPU', () => {
  const lines = [...corpus.map(({ say }) => say), ...chat]
  const run = (): void => lines.forEach((line) => void matchIntent(line, detectLanguage(line), bornTools))
  run()
  const before = process.cpuUsage()
  for (let round = 0; round < 20; round++) run()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000 / (20 * lines.length)).toBeLessThan(0.2)
})

const number = fc.oneof(
  fc.integer({ min: -2000, max: 999_999 }).map(String),
  fc.double({ min: -500, max: 5000, noNaN: true }).map((n) => n.toFixed(2)),
)

test('a spoken number always becomes one that the schema allows', () => {
  const range = fc.tuple(
    fc.integer({ min: -100, max: 400 }),
    fc.integer({ min: 1, max: 1000 }),
    fc.boolean(),
    fc.option(fc.integer({ min: 1, max: 7 })),
  )
  fc.assert(
    fc.property(
      range,
      number,
      fc.constantFrom('', '%', ' percent', ' degrees'),
      ([min, size, whole, step], said, unit) => {
        const max = min + size
        const schema = {
          type: whole ? 'integer' : 'number',
          minimum: min,
          maximum: max,
          ...(step ? { multipleOf: step } : {}),
        }
        const call = callFor(`set the heater to ${said}${unit}`, [draft('set_heater', { level: schema })])
        if (!call) return
        const level = call.arguments['level'] as number
        expect(level).toBeGreaterThanOrEqual(min)
        expect(level).toBeLessThanOrEqual(max)
        if (whole) expect(Number.isInteger(level)).toBe(true)
        if (step) expect(Math.abs(level / step - Math.round(level / step))).toBeLessThan(1e-9)
      },
    ),
  )
})

test('garbage of any length is no command and does no harm', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 600, unit: 'grapheme' }),
      fc.constantFrom<SpokenLanguage>('en', 'zh'),
      (text, language) => {
        const match = matchIntent(text, language, bornTools)
        expect(match === null || 'builtin' in match || Object.keys(match.arguments).length <= 3).toBe(true)
      },
    ),
  )
  expect(callFor(`turn on the lamp${' '.repeat(300)}when I come home`)).toBeUndefined()
})

test('a board tool without speech hints can be spoken to at once, by its name', () => {
  const heater = draft('set_heater', { on: { type: 'boolean' } })
  const mode = draft('set_aircon_mode', { mode: { type: 'string', enum: ['cool', 'dry', 'fan_only'] } })
  const speaker = draft('self.audio_speaker.set_volume', { volume: { type: 'integer', minimum: 0, maximum: 100 } })
  const lampOff = draft('self.lamp.turn_off', {})
  const lampOn = draft('self.lamp.turn_on', {})
  const feed = draft('feedCat', {})
  const humidity = draft('get_humidity', {}, { danger: 'read', description: '读取湿度' })
  const tools = [heater, mode, speaker, lampOff, lampOn, feed, humidity]
  expect(callFor('turn the heater on', tools)).toEqual({ tool: 'set_heater', arguments: { on: true } })
  expect(callFor('set the aircon mode to fan only', tools)).toEqual({
    tool: 'set_aircon_mode',
    arguments: { mode: 'fan_only' },
  })
  expect(callFor('set the speaker volume to half', tools)).toEqual({ tool: speaker.name, arguments: { volume: 50 } })
  expect(callFor('switch off the lamp', tools)).toEqual({ tool: lampOff.name, arguments: {} })
  expect(callFor('turn on the lamp', tools)).toEqual({ tool: lampOn.name, arguments: {} })
  expect(callFor('feed the cat', tools)).toEqual({ tool: 'feedCat', arguments: {} })
  expect(callFor('what is the humidity', tools)).toEqual({ tool: 'get_humidity', arguments: {} })
  expect(callFor('现在湿度是多少', tools)).toEqual({ tool: 'get_humidity', arguments: {} })
})

test('a sentence that fits two tools equally calls none of them', () => {
  const on = { on: { type: 'boolean' } }
  const tools = [draft('set_kitchen_lamp', on), draft('set_bedroom_lamp', on)]
  expect(callFor('turn on the lamp', tools)).toBeUndefined()
  expect(callFor('turn on the kitchen lamp', tools)).toEqual({ tool: 'set_kitchen_lamp', arguments: { on: true } })
})

test('a tool that needs more than a sentence can say is not called', () => {
  const alarm = draft('set_alarm', { on: { type: 'boolean' }, label: { type: 'string' } })
  expect(callFor('turn on the alarm', [alarm])).toBeUndefined()
})

test('a share of a range that is not 0–100 lies along the range', () => {
  const led = draft('set_strip', { brightness: { type: 'integer', minimum: 0, maximum: 255 } })
  expect(callFor('set the strip to 40 percent', [led])).toEqual({ tool: 'set_strip', arguments: { brightness: 102 } })
  expect(callFor('set the strip to 40', [led])).toEqual({ tool: 'set_strip', arguments: { brightness: 40 } })
})

test.each([
  ['what time is it', 'time'], ['现在几点了', 'time'], ['hello', 'hello'], ['你好', 'hello'],
  ['what can you do', 'capabilities'], ['你能做什么', 'capabilities'], ['stop', 'stop'], ['取消', 'stop'],
] as const)('"%s" is answered by the console itself', (text, builtin) => {
  expect(matchIntent(text, detectLanguage(text), bornTools)).toEqual({ builtin })
}) // prettier-ignore

test('a Thing’s tool is meant before the born one that understands the same words', () => {
  const born = bornTools.find(({ name }) => name === 'set_fan')
  if (!born) throw new Error('no born fan')
  const drawn: ToolVersion = { ...born, name: 'my_fan', origin: 'thing' }
  const called = (tools: readonly ToolVersion[]) => {
    const match = matchIntent('turn on the fan', 'en', tools)
    return match && 'tool' in match ? match.tool.name : null
  }
  expect(called([born, drawn])).toBe('my_fan')
  expect(called([drawn, born])).toBe('my_fan')
  // Two Things are as unclear as before.
  expect(called([born, drawn, { ...drawn, name: 'other_fan' }])).toBeNull()
})
