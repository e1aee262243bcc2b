import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bornTools } from '../contract/born-tools.ts'
import { ThingModel } from '../contract/thing.ts'
import type { ToolVersion } from '../contract/tool.ts'
import { matchIntent } from './agent/thinking/intent-matcher.ts'
import { detectLanguage } from './agent/thinking/language.ts'
import { successReply } from './agent/thinking/replies.ts'
import { toolsOf } from './things/thing-tools.ts'

function toolsOfTemplate(id: string): ToolVersion[] {
  const text = readFileSync(new URL(`./things/templates/${id}.json`, import.meta.url), 'utf8')
  return toolsOf(ThingModel.parse(JSON.parse(text))).map(({ name, content }) => ({
    ...content,
    name,
    version: 1,
    status: 'published',
    createdAt: 0,
    origin: 'thing',
  }))
}

function understood(say: string, tools: readonly ToolVersion[]): string | null {
  const match = matchIntent(say, detectLanguage(say), tools)
  return match && 'tool' in match ? `${match.tool.name} ${JSON.stringify(match.arguments)}` : null
}

const air = toolsOfTemplate('air-conditioner')

test.each([
  ['空调调到22度', 'set_temperature {"temperature":22}'],
  ['把空调温度调到26度', 'set_temperature {"temperature":26}'],
  ['温度调到二十五度', 'set_temperature {"temperature":25}'],
  ['打开空调', 'set_power {"power":true}'],
  ['把空调关掉', 'set_power {"power":false}'],
  ['空调风速调到3档', 'set_fan_speed {"fan_speed":3}'],
  ['风速调到5', 'set_fan_speed {"fan_speed":5}'],
  ['空调制热模式', 'set_mode {"mode":"heat"}'],
  ['空调切换到除湿模式', 'set_mode {"mode":"dry"}'],
  ['打开节能', 'set_eco {"eco":true}'],
  ['关闭节能模式', 'set_eco {"eco":false}'],
  ['现在温度是多少', 'get_temperature {}'],
  ['空调开着吗', 'get_power {}'],
  ['空调现在是什么模式', 'get_mode {}'],
  ['现在是什么模式', 'get_mode {}'],
  ['set the air conditioner to 22 degrees', 'set_temperature {"temperature":22}'],
  ['set the temperature to twenty four', 'set_temperature {"temperature":24}'],
  ['turn on the air conditioner', 'set_power {"power":true}'],
  ['turn the ac off', 'set_power {"power":false}'],
  ['set the mode to heat', 'set_mode {"mode":"heat"}'],
  ['set the air conditioner to heating', 'set_mode {"mode":"heat"}'],
  ['fan speed three', 'set_fan_speed {"fan_speed":3}'],
  ['set the fan speed of the air conditioner to 2', 'set_fan_speed {"fan_speed":2}'],
  ['turn on eco mode', 'set_eco {"eco":true}'],
  ['what is the temperature', 'get_temperature {}'],
  ['what is the fan speed of the air conditioner', 'get_fan_speed {}'],
  ['is the air conditioner on', 'get_power {}'],
])('an air conditioner understands "%s"', (say, call) => {
  expect(understood(say, air)).toBe(call)
})

test.each([
  ['lamp', 'turn on the lamp', 'set_power {"power":true}'],
  ['lamp', 'set the lamp to 40 percent', 'set_brightness {"brightness":40}'],
  ['lamp', '把灯调到百分之六十', 'set_brightness {"brightness":60}'],
  ['lamp', '关灯', 'set_power {"power":false}'],
  ['speaker', 'set the volume to 30', 'set_volume {"volume":30}'],
  ['speaker', '音量调到50', 'set_volume {"volume":50}'],
  ['speaker', 'what is the volume', 'get_volume {}'],
  ['led-ring', 'make the ring blue', 'set_color {"r":0,"g":0,"b":255}'],
  ['led-ring', '把灯环变成红色', 'set_color {"r":255,"g":0,"b":0}'],
  ['led-ring', 'set the ring to rainbow', 'set_effect {"effect":"rainbow"}'],
  ['led-ring', '灯环切换到呼吸模式', 'set_effect {"effect":"breathe"}'],
  ['fan', 'set the fan to 3', 'set_speed {"speed":3}'],
  ['fan', '打开风扇', 'set_power {"power":true}'],
  ['fan', '风扇开到2档', 'set_speed {"speed":2}'],
  ['fan', '打开摇头', 'set_swing {"swing":true}'],
  ['relay', 'switch off the socket', 'set_power {"power":false}'],
  ['relay', '打开插座', 'set_power {"power":true}'],
  ['servo', 'set the servo to 45 degrees', 'set_angle {"angle":45}'],
  ['servo', '舵机转到120度', 'set_angle {"angle":120}'],
  ['servo', '舵机回中', 'centre {}'],
  ['climate-sensor', 'what is the temperature', 'get_temperature {}'],
  ['climate-sensor', 'how warm is it', 'get_temperature {}'],
  ['climate-sensor', '现在湿度是多少', 'get_humidity {}'],
  ['climate-sensor', '现在多少度', 'get_temperature {}'],
  ['curtain', 'open the curtain', 'set_open {"open":true}'],
  ['curtain', '关上窗帘', 'set_open {"open":false}'],
  ['curtain', '窗帘开到一半', 'set_position {"position":50}'],
  ['pump', 'turn on the pump', 'set_power {"power":true}'],
  ['pump', '关闭水泵', 'set_power {"power":false}'],
  ['pump', 'what is the flow', 'get_flow {}'],
])('a %s understands "%s"', (template, say, call) => {
  expect(understood(say, toolsOfTemplate(template))).toBe(call)
})

test.each([
  ['fan', 'turn on the fan', 'set_power {"power":true}'],
  ['fan', '打开风扇', 'set_power {"power":true}'],
  ['lamp', '关灯', 'set_power {"power":false}'],
  ['lamp', 'set the lamp to 40 percent', 'set_brightness {"brightness":40}'],
  ['climate-sensor', 'what is the temperature', 'get_temperature {}'],
  ['climate-sensor', '现在多少度', 'get_temperature {}'],
  ['air-conditioner', '空调调到22度', 'set_temperature {"temperature":22}'],
])('a bound %s means more than the board’s own tool of that name: "%s"', (template, say, call) => {
  const drawn = toolsOfTemplate(template)
  expect(understood(say, [...bornTools, ...drawn])).toBe(call)
  expect(understood(say, [...drawn, ...bornTools])).toBe(call)
})

test.each([
  ['空调现在是什么模式', 'heat', '模式是制热。'],
  ['what is the mode', 'heat', 'The mode is heat.'],
  ['空调现在是什么模式', 'unheard of', '模式是unheard of。'],
])('a reading is told by its spoken name: "%s", %s', (say, value, reply) => {
  const language = detectLanguage(say)
  const match = matchIntent(say, language, air)
  if (!match || !('tool' in match)) throw new Error('not understood')
  expect(successReply(match, { value }, language).text).toBe(reply)
})
