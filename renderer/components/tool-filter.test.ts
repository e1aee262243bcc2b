import { expect, test } from 'vitest'
import type { ToolSummary } from '../../electron/contract/tool-registry.ts'
import { filterTools, isToolName, noToolFilter, sortTools, statesOf, toolPath } from './tool-filter.ts'

const tool = (name: string, over: Partial<ToolSummary> = {}): ToolSummary => ({
  name,
  description: '',
  origin: 'person',
  danger: 'harmless',
  published: 1,
  versions: 1,
  drafts: 0,
  canary: false,
  deprecated: false,
  enabled: true,
  provider: null,
  calls: 0,
  failed: 0,
  ...over,
})
const names = (tools: readonly ToolSummary[]) => tools.map((one) => one.name)
const some = [
  tool('set_lamp', { description: 'Turn the lamp on. 开灯' }),
  tool('open_door', { danger: 'physical', calls: 9, provider: 'Relay box' }),
  tool('erase', { danger: 'destructive', enabled: false, calls: 30 }),
  tool('old', { deprecated: true, origin: 'mcp', drafts: 1 }),
]

test('every word must be somewhere, in name, description or provider', () => {
  expect(names(filterTools(some, { ...noToolFilter, text: 'LAMP on' }))).toEqual(['set_lamp'])
  expect(names(filterTools(some, { ...noToolFilter, text: '开灯' }))).toEqual(['set_lamp'])
  expect(names(filterTools(some, { ...noToolFilter, text: 'relay' }))).toEqual(['open_door'])
})

test('origin, danger and state narrow together', () => {
  expect(names(filterTools(some, { ...noToolFilter, danger: 'physical' }))).toEqual(['open_door'])
  expect(names(filterTools(some, { ...noToolFilter, state: 'draft', origin: 'mcp' }))).toEqual(['old'])
  expect(names(filterTools(some, { ...noToolFilter, state: 'disabled' }))).toEqual(['erase'])
})

test('a tool may be in several states at once', () => {
  expect(statesOf(tool('x', { canary: true, drafts: 2 }))).toEqual(['published', 'draft', 'canary'])
  expect(statesOf(tool('x', { published: null, drafts: 1 }))).toEqual(['draft'])
})

test('danger sorts by danger, not by alphabet', () => {
  expect(names(sortTools(some, { key: 'danger', down: true }))[0]).toBe('erase')
  expect(names(sortTools(some, { key: 'calls', down: true })).slice(0, 2)).toEqual(['erase', 'open_door'])
})

test('a name the registry would refuse is refused here', () => {
  expect(['set_lamp', 'a.b-c', 'Lamp2'].every(isToolName)).toBe(true)
  expect(['', 'set lamp', '灯', 'x'.repeat(65)].some(isToolName)).toBe(false)
})

test('the address of a tool never ends like a file', () => {
  expect(toolPath('air.set-temp')).toBe('/toolbox/tool/air%2Eset-temp')
  expect(decodeURIComponent(toolPath('air.set-temp'))).toContain('air.set-temp')
})
