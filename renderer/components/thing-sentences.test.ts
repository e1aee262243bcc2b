import { expect, test } from 'vitest'
import { ThingModel } from '../../electron/contract/thing.ts'
import template from '../../electron/server/things/templates/air-conditioner.json' with { type: 'json' }
import { sentencesOf, unspoken } from './thing-sentences.ts'

const air = ThingModel.parse(template)
const said = (locale: string) => sentencesOf(air, locale).map(({ text, call }) => `${text} → ${call}`)

test('an air conditioner shows what can be said to it in Chinese', () => {
  expect(said('zh-CN')).toEqual(
    expect.arrayContaining([
      '打开空调 → set_power {"power":true}',
      '空调调到23度 → set_temperature {"temperature":23}',
      '模式切换到制冷 → set_mode {"mode":"cool"}',
      '温度是多少 → get_temperature {}',
    ]),
  )
})

test('the first switch and the first level answer to the name of the Thing, the others to their own', () => {
  expect(said('en')).toEqual(
    expect.arrayContaining([
      'turn on the air conditioner → set_power {"power":true}',
      'turn on the eco mode → set_eco {"eco":true}',
      'set the air conditioner to 23 degrees → set_temperature {"temperature":23}',
      'set the fan speed to 3 → set_fan_speed {"fan_speed":3}',
    ]),
  )
})

test('a member without a Chinese name is told, and has no Chinese sentence', () => {
  const bare: ThingModel = { ...air, properties: air.properties.map((one) => ({ ...one, names: { en: [], zh: [] } })) }

  expect(unspoken(bare, 'zh-CN')).toContain('properties/mode')
  expect(sentencesOf(bare, 'zh-CN').some(({ path }) => path === 'properties/mode')).toBe(false)
  expect(unspoken(bare, 'en')).toEqual([])
})
