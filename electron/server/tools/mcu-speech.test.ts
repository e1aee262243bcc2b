import { expect, test } from 'vitest'
import { ToolVersion } from '../../contract/tool.ts'
import type { McuTool } from '../../contract/uart-wire.ts'
import { ThingModel } from '../../contract/thing.ts'
import { playLesson } from '../../virtual/mcu/lesson-program.ts'
import { playThing } from '../../virtual/mcu/thing-program.ts'
import { detectLanguage } from '../agent/thinking/language.ts'
import { matchIntent } from '../agent/thinking/intent-matcher.ts'
import { successReply } from '../agent/thinking/replies.ts'
import { toolContent } from '../uart/mcu-tool.ts'
import { withoutBoardWords } from './board-words.ts'

/** What a turn is offered of a microcontroller. */
function offered(tools: readonly McuTool[]): ToolVersion[] {
  const kept = { version: 1, status: 'published', createdAt: 0, origin: 'uart' } as const
  return tools.flatMap(
    (tool) => withoutBoardWords(ToolVersion.parse({ ...toolContent(tool), ...kept, name: tool.name })) ?? [],
  )
}
const lesson = offered(playLesson().tools)

function called(text: string, tools: readonly ToolVersion[] = lesson): string {
  const match = matchIntent(text, detectLanguage(text), tools)
  return match && 'tool' in match ? `${match.tool.name} ${JSON.stringify(match.arguments)}` : JSON.stringify(match)
}

test.each([
  ['turn on the air conditioner', 'ACSwitch {"enabled":true}'],
  ['turn the ac off', 'ACSwitch {"enabled":false}'],
  ['please switch off the air conditioning', 'ACSwitch {"enabled":false}'],
  ['打开空调', 'ACSwitch {"enabled":true}'],
  ['把空调关掉', 'ACSwitch {"enabled":false}'],
  ['关闭空调', 'ACSwitch {"enabled":false}'],
  ['is the air conditioner on', 'ACSwitch {}'],
  ['空调开着吗', 'ACSwitch {}'],
  ['set the air conditioner to 23 degrees', 'ACTemperature {"temperature":23}'],
  ['set the temperature to twenty three', 'ACTemperature {"temperature":23}'],
  ['set the ac temperature to 20', 'ACTemperature {"temperature":20}'],
  ['把空调调到二十三度', 'ACTemperature {"temperature":23}'],
  ['空调温度调到25度', 'ACTemperature {"temperature":25}'],
  ['把温度设为二十度', 'ACTemperature {"temperature":20}'],
  ['what is the air conditioner temperature', 'ACTemperature {}'],
  ['空调温度是多少', 'ACTemperature {}'],
  ['空调现在几度', 'ACTemperature {}'],
  ['set the fan speed to 3', 'ACFanSpeed {"speed":3}'],
  ['set the ac fan speed to 2', 'ACFanSpeed {"speed":2}'],
  ['把风速调到三档', 'ACFanSpeed {"speed":3}'],
  ['空调风速设为2', 'ACFanSpeed {"speed":2}'],
  ['set the air conditioner to cool', 'ACMode {"mode":"cool"}'],
  ['set the ac mode to heat', 'ACMode {"mode":"heat"}'],
  ['switch the mode to dry', 'ACMode {"mode":"dry"}'],
  ['把空调调成制热模式', 'ACMode {"mode":"heat"}'],
  ['空调设为除湿', 'ACMode {"mode":"dry"}'],
  ['空调是什么模式', 'ACMode {}'],
  ['cool mode', 'ACMode {"mode":"cool"}'],
  ['切换到制热模式', 'ACMode {"mode":"heat"}'],
  ['what is the fan speed', 'ACFanSpeed {}'],
  ['风速是多少', 'ACFanSpeed {}'],
  ['turn on the lamp in the moon', 'null'],
  ['the air conditioner is on fire', 'null'],
] as const)('of the lesson, "%s" is %s', (text, wanted) => {
  expect(called(text)).toBe(wanted)
})

const plain = (name: string, params: Record<string, string>, description = name): McuTool => ({
  name,
  description,
  properties: Object.fromEntries(Object.entries(params).map(([key, type]) => [key, { type, description: key }])),
})
const kit = offered([
  plain('ac_power', { on: 'boolean' }),
  plain('air_conditioner.set_temperature', { temperature: 'integer' }),
  plain('set_fan_speed', { speed: 'integer' }),
  plain('setLampBrightness', { brightness: 'int' }),
  plain('lamp_switch', { value: 'bool' }),
  plain('beep', {}),
  plain('read_humidity', {}),
])

test.each([
  ['turn on the air conditioner', 'ac_power {"on":true}'],
  ['打开空调', 'ac_power {"on":true}'],
  ['set the air conditioner to 22 degrees', 'air_conditioner.set_temperature {"temperature":22}'],
  ['把空调调到二十二度', 'air_conditioner.set_temperature {"temperature":22}'],
  ['set the fan speed to 3', 'set_fan_speed {"speed":3}'],
  ['风速调到3', 'set_fan_speed {"speed":3}'],
  ['set the lamp brightness to 40', 'setLampBrightness {"brightness":40}'],
  ['set the lamp to 40', 'setLampBrightness {"brightness":40}'],
  ['把灯的亮度调到40', 'setLampBrightness {"brightness":40}'],
  ['turn off the light', 'lamp_switch {"value":false}'],
  ['关灯', 'lamp_switch {"value":false}'],
  ['beep', 'beep {}'],
  ['what is the humidity', 'read_humidity {}'],
  ['湿度多少', 'read_humidity {}'],
] as const)('of names alone, "%s" is %s', (text, wanted) => {
  expect(called(text, kit)).toBe(wanted)
})

test('a drawn Thing that the registry does not know is spoken to by the names of its members', () => {
  const model = ThingModel.parse({
    title: { en: 'Air conditioner', zh: '空调' },
    properties: [
      { name: 'power', type: 'boolean', access: 'read-write', description: '空调的开关' },
      {
        name: 'temperature',
        type: 'integer',
        access: 'read-write',
        minimum: 16,
        maximum: 30,
        description: '空调的温度',
      },
    ],
    methods: [],
    events: [],
  })
  const tools = offered(playThing(model).tools)
  expect(called('turn on the air conditioner', tools)).toBe('set_power {"power":true}')
  expect(called('把空调调到二十三度', tools)).toBe('set_temperature {"temperature":23}')
  expect(called('空调温度是多少', tools)).toBe('get_temperature {}')
})

test('a range and a list that only the description tells are known; a message in a list is not', () => {
  const described = (type: string, description: string): McuTool => ({
    name: 'set_heater', description: '', properties: { level: { type, description } },
  }) // prettier-ignore
  const schema = (tool: McuTool) => offered([tool])[0]?.arguments['properties']
  expect(schema(described('integer', 'level, 16-30'))).toEqual({ level: { type: 'integer', minimum: 16, maximum: 30 } })
  expect(schema(described('integer', 'pins 4-5 and 16-30'))).toEqual({ level: { type: 'integer' } })
  expect(schema(described('string', 'low/medium/high'))).toEqual({
    level: { type: 'string', enum: ['low', 'medium', 'high'] },
  })
  expect(schema(described('string', 'low/call/factory_reset/now'))).toEqual({ level: { type: 'string' } })
})

test('the lesson says its ranges, so a number beyond them is told and not sent', () => {
  for (const text of ['set the temperature to 99 degrees', '空调温度调到九十九度']) {
    const match = matchIntent(text, detectLanguage(text), lesson)
    expect(match).toMatchObject({ tool: { name: 'ACTemperature' }, outside: { min: 16, max: 30, unit: 'degrees' } })
  }
})

test('what is said after a call names the device, and of a question the value', () => {
  const say = (text: string, result: unknown) => {
    const language = detectLanguage(text)
    const match = matchIntent(text, language, lesson)
    return match && 'tool' in match ? successReply(match, result, language).text : ''
  }
  expect(say('turn on the ac', { status: 'ok' })).toBe('Okay, the air conditioner is on.')
  expect(say('关闭空调', { status: 'ok' })).toBe('好的，空调关了。')
  expect(say('把空调调到二十三度', { status: 'ok' })).toBe('好的，空调温度是23度。')
  expect(say('set the ac mode to heat', { status: 'ok' })).toBe('Okay, the air conditioner mode is heat.')
  expect(say('空调调成制热模式', { status: 'ok' })).toBe('好的，空调模式是制热。')
  expect(say('turn on the ac', { value: 'ERROR 5' })).toBe('The air conditioner answered: ERROR 5.')
  expect(say('把空调调到二十三度', { value: 22 })).toBe('空调回答：22。')
  expect(say('is the ac on', { value: false })).toBe('The air conditioner is off.')
  expect(say('空调现在几度', { value: 26 })).toBe('空调温度是26度。')
})
