import { expect, test } from 'vitest'
import { ToolVersion } from '../../contract/tool.ts'
import { matchIntent } from '../agent/thinking/intent-matcher.ts'
import { detectLanguage } from '../agent/thinking/language.ts'
import { thingTemplates } from './templates.ts'
import { numberedTitle } from './thing-titles.ts'
import { toolsOf } from './thing-tools.ts'

const air = thingTemplates.find(({ id }) => id === 'air_conditioner')!.model
const second = numberedTitle(air, [{ name: 'air', title: air.title }])
const tools = [air, second].flatMap((model, at) =>
  toolsOf(model).map(({ name, content }) =>
    ToolVersion.parse({
      ...content,
      name: at === 0 ? name : `second_${name}`,
      version: 1,
      status: 'published',
      createdAt: 0,
      origin: 'thing',
    }),
  ),
)

test.each([
  ['turn on the air conditioner', 'set_power', { power: true }],
  ['turn on air conditioner 2', 'second_set_power', { power: true }],
  ['turn off air conditioner two', 'second_set_power', { power: false }],
  ['打开空调', 'set_power', { power: true }],
  ['打开空调2', 'second_set_power', { power: true }],
  ['把空调2调到23度', 'second_set_temperature', { temperature: 23 }],
  ['把空调调到二十三度', 'set_temperature', { temperature: 23 }],
  ['set air conditioner 2 to 23 degrees', 'second_set_temperature', { temperature: 23 }],
] as const)('of two air conditioners, "%s" is %s', (text, tool, args) => {
  expect(matchIntent(text, detectLanguage(text), tools)).toMatchObject({ tool: { name: tool }, arguments: args })
})
