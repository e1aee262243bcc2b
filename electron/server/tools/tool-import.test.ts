import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { silentLog } from '../../base/log.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createSchemaChecker } from './json-schema.ts'
import { exportTools, readImport } from './tool-import.ts'
import { createToolRegistry, type ToolRegistry } from './tool-registry.ts'

const checker = createSchemaChecker()
let dir: string
let store: Store
let registry: ToolRegistry
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-import-'))
  store = await openStore({ dir, log: silentLog })
  const clock = createManualClock()
  registry = await createToolRegistry({ store: store.tools, edits: store.toolEdits, checker, clock, log: silentLog })
})
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})
const read = (document: unknown) =>
  readImport(typeof document === 'string' ? document : JSON.stringify(document), { registry, checker })

test('what was exported is read back without a loss', () => {
  const names = [...registry.shelf.names()]
  const back = read(exportTools([...names, 'unknown'], registry))
  expect(back.map(({ name, known, problem }) => [name, known, problem])).toEqual(
    names.map((name) => [name, true, null]),
  )
  const lamp = registry.published('set_lamp')!
  expect(back[0]?.content).toMatchObject({ arguments: lamp.arguments, speech: lamp.speech, danger: lamp.danger })
})

test('an MCP tools/list answer, also inside its JSON-RPC frame', () => {
  const tool = {
    name: 'self.light.set',
    description: 'Light',
    inputSchema: { $schema: 'x', type: 'object', properties: { on: { type: 'boolean' } } },
    annotations: { readOnlyHint: true },
  }
  const expected = [
    { name: 'self.light.set', known: false, problem: null, content: { danger: 'read', description: 'Light' } },
  ]
  expect(read({ tools: [tool] })).toMatchObject(expected)
  expect(read({ jsonrpc: '2.0', id: 1, result: { tools: [tool] } })).toMatchObject(expected)
  expect(read(tool)[0]?.content?.arguments).not.toHaveProperty('$schema')
})

test('functions as models take them', () => {
  const spec = { name: 'beep', description: 'Beeps', parameters: { type: 'object' } }
  expect(read([{ type: 'function', function: spec }, spec])).toMatchObject([{ name: 'beep' }, { name: 'beep' }])
})

const openApi = `
openapi: 3.1.0
info: { title: Pump, version: '1' }
paths:
  /pumps/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
      - { name: X-Key, in: header, schema: { type: string } }
    get:
      operationId: getPump
      summary: Reads a pump
      responses:
        '200':
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pump' }
    put:
      requestBody:
        content:
          application/json:
            schema: { type: object, required: [speed], properties: { speed: { type: integer, maximum: 9 }, next: { $ref: '#/components/schemas/Pump' } } }
    delete:
      operationId: dropPump
components:
  schemas:
    Pump: { type: object, properties: { speed: { type: integer }, valve: { $ref: '#/components/schemas/Valve' } } }
    Valve: { enum: [open, shut] }
`

test('each operation of an OpenAPI document in YAML is a tool, with what its schemas refer to', () => {
  const [get, put, drop] = read(openApi)
  expect(get).toMatchObject({
    name: 'getPump',
    problem: null,
    content: { danger: 'read', description: 'Reads a pump' },
  })
  expect(get?.content?.arguments).toMatchObject({ properties: { id: { type: 'string' } }, required: ['id'] })
  expect(get?.content?.arguments['properties']).not.toHaveProperty('X-Key')
  expect(get?.content?.result).toMatchObject({ $defs: { Valve: { enum: ['open', 'shut'] } } })
  expect(put).toMatchObject({ name: 'put_pumps_id', content: { idempotent: true, danger: 'physical' } })
  const args = put!.content!.arguments
  expect(args['required']).toEqual(['id', 'speed'])
  expect(checker.fault(args, { id: 'a', speed: 3, next: { valve: 'open' } })).toBeUndefined()
  expect(checker.fault(args, { id: 'a', speed: 3, next: { valve: 'ajar' } })).toBeDefined()
  expect(drop).toMatchObject({ name: 'dropPump', content: { danger: 'destructive' } })
})

test('what cannot be taken says why, the others are taken', () => {
  const good = { name: 'fine', inputSchema: { type: 'object' } }
  const runaway = { name: 'evil', inputSchema: { type: 'object', properties: { a: { pattern: '(a+)+' } } } }
  const unnamed = { name: 'no name!', inputSchema: {} }
  expect(read([good, runaway, unnamed]).map(({ problem }) => problem)).toEqual([
    null,
    'tool-bad-schema',
    'tool-bad-schema',
  ])
})

test.each([
  ['nothing', ''],
  ['prose', 'hello there'],
  ['broken JSON', '{"tools":['],
  ['no tools', '{"a":1}'],
  ['a hundred brackets', '['.repeat(100)],
  ['aliases that grow', 'a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]'],
])('%s is no import', (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool-import-unreadable' }) as Error)
})

test.each([
  ['brackets', `paths: ${'['.repeat(3_000)}${']'.repeat(3_000)}`],
  ['list marks', `paths:\n ${'- '.repeat(3_000)}x`],
])('YAML that is nested by %s is refused before it is read', (_name, text) => {
  expect(() => read(`openapi: 3.1.0\n${text}`)).toThrow(/nested too deeply/)
})
