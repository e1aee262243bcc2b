import { expect, test } from 'vitest'
import { DeviceTool, ToolVersion } from '../../electron/contract/tool.ts'
import { textOfBoard, textOfServer } from './tool-source.ts'

const version = ToolVersion.parse({
  name: 'set_lamp',
  version: 3,
  status: 'published',
  description: 'Lamp.',
  arguments: { type: 'object' },
  result: null,
  danger: 'harmless',
  idempotent: true,
  timeoutMs: 5000,
  speech: {},
  origin: 'board',
  createdAt: 0,
})
const offer = (name: string, source: DeviceTool['source'], tool: ToolVersion | null = version) =>
  DeviceTool.parse({ name, tool, source, reachable: true, provider: null, withheld: null })

test('a board gives what it brought itself and what is described', () => {
  const text = textOfBoard([
    offer('set_lamp', 'declared'),
    offer('set_fan', 'declared', null),
    offer('what_time', 'builtin'),
    offer('mcp_a_b', 'mcp'),
  ])
  expect(JSON.parse(text)).toMatchObject({ tools: [{ name: 'set_lamp', danger: 'harmless', description: 'Lamp.' }] })
  expect((JSON.parse(text) as { tools: object[] }).tools).toHaveLength(1)
})

test('an outside server gives its tools by their own names with danger and both schemas', () => {
  const one = {
    name: 'weather',
    toolName: 'mcp_x_weather',
    description: 'Weather.',
    hash: 'h',
    consent: 'given',
    before: null,
  } as const
  const schemas = JSON.stringify({ danger: 'read', arguments: { type: 'object' }, result: { type: 'string' } })
  expect(JSON.parse(textOfServer({ tools: [{ ...one, schemas }, one] }))).toEqual({
    tools: [
      {
        name: 'weather',
        description: 'Weather.',
        danger: 'read',
        arguments: { type: 'object' },
        result: { type: 'string' },
      },
    ],
  })
})
