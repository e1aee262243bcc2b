import { expect, test } from 'vitest'
import type { DeviceTool, ToolVersion } from '../../electron/contract/tool.ts'
import { textOfBoard, textOfServer } from './tool-sources.ts'

const version: ToolVersion = {
  name: 'set_lamp',
  version: 2,
  status: 'published',
  description: 'Lamp.',
  arguments: { type: 'object' },
  result: null,
  danger: 'harmless',
  idempotent: true,
  timeoutMs: 5_000,
  speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
  createdAt: 0,
  origin: 'board',
}
const offered = (part: Partial<DeviceTool>): DeviceTool => ({
  name: 'set_lamp',
  tool: version,
  reachable: true,
  source: 'declared',
  provider: null,
  withheld: null,
  ...part,
})

test('a board gives the tools that its firmware has, and none that others lent it', () => {
  const text = textOfBoard([
    offered({}),
    offered({ name: 'dark', tool: null }),
    offered({ name: 'roll_dice', source: 'builtin' }),
  ])

  expect(JSON.parse(text)).toMatchObject({ tools: [{ name: 'set_lamp', danger: 'harmless', description: 'Lamp.' }] })
  expect((JSON.parse(text) as { tools: unknown[] }).tools).toHaveLength(1)
})

test('an MCP server gives the words and schemas that a person was shown', () => {
  const schemas = JSON.stringify({ danger: 'read', arguments: { type: 'object', properties: {} } })
  const shown = { name: 'read', description: 'Reads.', hash: 'x', consent: 'new', before: null } as const

  expect(
    JSON.parse(
      textOfServer({
        tools: [
          { ...shown, toolName: 'mcp_files_read', schemas },
          { ...shown, toolName: 'mcp_files_old' },
        ],
      }),
    ),
  ).toEqual({
    tools: [
      {
        name: 'mcp_files_read',
        description: 'Reads.',
        danger: 'read',
        arguments: { type: 'object', properties: {} },
      },
    ],
  })
})
