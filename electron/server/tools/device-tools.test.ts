import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts'
import { connectToolBoard, type Message, plainToolBoard, type ToolBoard } from '../../../test/support/session-bench.ts'
import { createLog, silentLog } from '../../base/log.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createDeviceTools, type DeviceTools } from './device-tools.ts'
import { createSchemaChecker } from './json-schema.ts'
import { createToolHost, type ToolHost } from './tool-host.ts'
import { createToolRegistry, publishesByItself, type ToolRegistry } from './tool-registry.ts'

let dir: string
let store: Store
let clock: ManualClock
let registry: ToolRegistry
let boardTools: DeviceTools
let tools: ToolHost
let publishes: boolean
let logged: string[]

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-tools-'))
  store = await openStore({ dir, log: silentLog })
  clock = createManualClock()
  publishes = true
  logged = []
  await restart()
})
afterEach(async () => {
  tools.close()
  boardTools.close()
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

/** A new registry and new device tools on the same store. */
async function restart(): Promise<void> {
  const checker = createSchemaChecker()
  registry = await createToolRegistry({ store: store.tools, edits: store.toolEdits, checker, clock, log: silentLog })
  const log = createLog({ target: { write: (line) => void logged.push(line) } })
  const parts = { registry, store: store.tools, clock, log, version: '0.0.0' }
  boardTools = createDeviceTools({ ...parts, publishes: () => publishes })
  tools = createToolHost({ registry, checker, clock, log, providers: [boardTools] })
}

interface Request {
  readonly id: number
  readonly method: string
  readonly params?: { readonly name?: string; readonly arguments?: Message; readonly cursor?: string }
}
type Answers = (request: Request, board: ToolBoard) => void
const connect = (answers: Answers, deviceId = 'board') =>
  connectToolBoard({ boardTools }, deviceId, (request, board) => answers(request as unknown as Request, board))
const refuse = (board: ToolBoard, id: number) =>
  board.far.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }))
const asked = (board: ToolBoard) =>
  board.requests.map((request) => {
    const { method, params } = request as unknown as Request
    return params?.name ? `${method} ${params.name} ${JSON.stringify(params.arguments)}` : method
  })
const names = async (deviceId = 'board') => (await tools.list(deviceId)).map(({ name }) => name)
const caller = { kind: 'test', id: 'unit' } as const
const lamp = (args: Record<string, unknown> = { on: true }) =>
  tools.callTool({ deviceId: 'board', name: 'set_lamp', arguments: args, caller })

/** A board whose calls are answered by `onCall`; everything before that is done at once. */
async function lampBoard(onCall: Answers = (request, board) => board.answer(request.id, { status: 'ok' })) {
  const plain = plainToolBoard(['set_lamp', 'read_temperature'])
  const board = connect((request, end) => {
    const call = request.method === 'tools/call' && request.params?.name !== 'declare_capabilities'
    if (call) onCall(request, end)
    else plain(request as unknown as Message, end)
  })
  await vi.waitFor(async () => expect(await names()).toContain('set_lamp'))
  return board
}

test('a small board refuses initialize and is asked for its capabilities at once', async () => {
  const board = await lampBoard()
  expect(asked(board)).toEqual(['initialize', 'tools/call declare_capabilities {"scope":"all"}'])
  expect(await tools.vocabulary('board')).toMatchObject([{ name: 'set_lamp' }, { name: 'read_temperature' }])
  expect(await tools.list('board')).toMatchObject([{ reachable: true, source: 'declared' }, {}])
})

test('the first words to a new board wait for its tools, but not for ever', async () => {
  const held: Message[] = []
  const board = connect((request, end) => {
    if (request.method === 'initialize') refuse(end, request.id)
    else held.push(request as unknown as Message)
  })
  await vi.waitFor(() => expect(held).toHaveLength(1))
  const early = tools.vocabulary('board')
  board.answer(held[0]!.id, { tools: [{ name: 'set_lamp' }] })
  expect(await early).toMatchObject([{ name: 'set_lamp' }])

  connect(() => undefined, 'silent')
  let given: unknown
  void tools.vocabulary('silent').then((vocabulary) => (given = vocabulary))
  await vi.waitFor(async () => {
    await clock.advance(1_500)
    expect(given).toEqual([])
  })
})

test('silence for one second means no MCP server', async () => {
  const board = connect((request, end) => {
    if (request.method === 'tools/call') end.answer(request.id, { tools: ['set_fan'] })
  })
  await clock.advance(999)
  expect(asked(board)).toEqual(['initialize'])
  await clock.advance(1)
  await vi.waitFor(async () => expect(await names()).toEqual(['set_fan']))
})

test('a board that refuses scope all is asked for tools and audio one by one', async () => {
  const board = connect((request, end) => {
    const scope = request.params?.arguments?.['scope']
    if (scope === 'tools')
      end.answer(request.id, { content: [{ type: 'text', text: '{"tools":[{"name":"set_fan"}]}' }] })
    else refuse(end, request.id)
  })
  await vi.waitFor(async () => expect(await names()).toEqual(['set_fan']))
  expect(asked(board).slice(1)).toEqual(
    ['all', 'tools', 'audio'].map((scope) => `tools/call declare_capabilities {"scope":"${scope}"}`),
  )
})

const wrongEntries = [{ name: 5 }, { name: 'x'.repeat(5000) }, null, 'two words', 7]
const leftOut = () => logged.filter((line) => line.includes('left out'))

test('a wrong entry among the capabilities costs only itself, and is told once', async () => {
  connect((request, end) => {
    if (request.method === 'initialize') refuse(end, request.id)
    else end.answer(request.id, { tools: ['set_lamp', { name: 'read_temperature' }, ...wrongEntries, 'dance'] })
  })
  await vi.waitFor(async () => expect(await names()).toEqual(['set_lamp', 'read_temperature', 'dance']))
  expect(leftOut()).toEqual([expect.stringContaining('"left":5')])
})

test('a wrong entry in a page of tools/list costs only itself, and is told once', async () => {
  const server = mcpServer()
  const pages = [[...wrongEntries, { ...dance, name: 'x'.repeat(5000) }, dance], wrongEntries]
  connect((request, end) => {
    if (request.method !== 'tools/list') return server(request, end)
    const tools = pages.shift()
    return end.answer(request.id, pages.length > 0 ? { tools, nextCursor: 'p2' } : { tools })
  })
  await vi.waitFor(async () => expect(await names()).toEqual(['dance']))
  expect(leftOut()).toEqual([expect.stringContaining('"left":11')])
})

const dance = {
  name: 'dance',
  description: 'Dances',
  inputSchema: { type: 'object', properties: { steps: { type: 'integer' } } },
}

/** A full MCP server with two pages of tools. */
const mcpServer =
  (tool: object = dance): Answers =>
  (request, board) => {
    if (request.method === 'initialize') {
      board.answer(request.id, {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'b', version: '1' },
      })
    } else if (request.method === 'tools/list') {
      board.answer(
        request.id,
        request.params?.cursor === undefined
          ? { tools: [tool], nextCursor: 'p2' }
          : { tools: [{ name: 'rest', inputSchema: { type: 'object' } }] },
      )
    } else if (request.params?.name === 'declare_capabilities') refuse(board, request.id)
    else if (request.method === 'tools/call') board.answer(request.id, { status: 'ok' })
  }

test('a full MCP server is initialized, listed page by page, and asked for capabilities last', async () => {
  const board = connect(mcpServer())
  await vi.waitFor(async () => expect(await names()).toEqual(['dance', 'rest']))
  expect(asked(board).slice(0, 5)).toEqual([
    'initialize',
    'notifications/initialized',
    'tools/list',
    'tools/list',
    'tools/call declare_capabilities {"scope":"all"}',
  ])
  expect(await tools.vocabulary('board')).toMatchObject([
    { name: 'dance', version: 1, status: 'published', origin: 'board', danger: 'physical' },
    { name: 'rest' },
  ])
})

test('what a board of another enrolment way advertises stays a draft until a person publishes it', async () => {
  publishes = false
  connect(mcpServer())
  await vi.waitFor(async () => expect(await names()).toEqual(['dance', 'rest']))
  expect(await tools.vocabulary('board')).toEqual([])
  expect(await tools.list('board')).toMatchObject([{ tool: { status: 'draft' } }, {}])
  await registry.publish('dance', 1)
  expect(await tools.vocabulary('board')).toMatchObject([{ name: 'dance' }])
  expect(publishesByItself({ enrolledBy: 'window', virtual: false })).toBe(false)
  expect(publishesByItself({ enrolledBy: 'claim', virtual: false })).toBe(true)
  expect(publishesByItself({ enrolledBy: 'window', virtual: true })).toBe(true)
})

test('a changed schema becomes the next version, the same one nothing', async () => {
  connect(mcpServer(), 'one')
  await vi.waitFor(async () => expect(await names('one')).toContain('dance'))
  connect(mcpServer(), 'two')
  await vi.waitFor(async () => expect(await names('two')).toContain('dance'))
  connect(mcpServer({ ...dance, inputSchema: { type: 'object' } }), 'three')
  await vi.waitFor(async () => expect(await names('three')).toContain('dance'))
  expect(registry.all().filter(({ name }) => name === 'dance')).toMatchObject([{ version: 1 }, { version: 2 }])
})

test('a board cannot replace a born tool by what it says of itself', async () => {
  connect(mcpServer({ name: 'set_lamp', inputSchema: { type: 'object' } }))
  await vi.waitFor(async () => expect(await names()).toContain('set_lamp'))
  expect(registry.published('set_lamp')).toMatchObject({ version: 1, origin: 'born' })
  expect(registry.newest('set_lamp')).toMatchObject({ version: 2, status: 'draft' })
})

test('a schema that could run away is not taken, the others are', async () => {
  connect(mcpServer({ name: 'evil', inputSchema: { type: 'object', properties: { a: { pattern: '(a+)+' } } } }))
  await vi.waitFor(async () => expect(await names()).toEqual(['evil', 'rest']))
  expect(registry.newest('evil')).toBeUndefined()
  expect(registry.published('rest')).toBeDefined()
})

test('names are kept over a restart, so that an unreachable board still has its vocabulary', async () => {
  const board = await lampBoard()
  board.far.close()
  await vi.waitFor(() => expect(boardTools.isReachable('board')).toBe(false))
  await restart()
  expect(await tools.vocabulary('board')).toMatchObject([{ name: 'set_lamp' }, { name: 'read_temperature' }])
  expect(await lamp()).toMatchObject({ outcome: 'failed', errorCode: 'tool-unreachable' })
})

test('a good call is validated, sent and recorded with its version', async () => {
  const board = await lampBoard()
  expect(await lamp({ on: false })).toMatchObject({
    ref: 'set_lamp@1',
    arguments: { on: false },
    outcome: 'ok',
    result: { status: 'ok' },
  })
  expect(board.requests.at(-1)).toMatchObject({ jsonrpc: '2.0', method: 'tools/call' })
})

test('arguments that break the schema are never sent', async () => {
  const board = await lampBoard()
  const sent = board.requests.length
  expect(await lamp({ on: true, brightness: 500 })).toMatchObject({
    outcome: 'refused',
    errorCode: 'tool-bad-arguments',
    errorMessage: expect.stringContaining('/brightness') as string,
  })
  expect(board.requests).toHaveLength(sent)
})

test('a tool that the board does not name is refused', async () => {
  await lampBoard()
  expect(await tools.callTool({ deviceId: 'board', name: 'set_fan', arguments: { on: true }, caller })).toMatchObject({
    outcome: 'refused',
    errorCode: 'tool-unknown',
  })
})

test('a result that breaks the schema is an error, not a value', async () => {
  await lampBoard((request, board) => board.answer(request.id, { celsius: 'warm' }))
  const call = await tools.callTool({ deviceId: 'board', name: 'read_temperature', arguments: {}, caller })
  expect(call).toMatchObject({ outcome: 'failed', errorCode: 'tool-bad-result' })
  expect(call.result).toBeUndefined()
})

test.each<[string, Answers, string]>([
  ['an error', (request, board) => refuse(board, request.id), 'tool-failed'],
  [
    'isError',
    (request, board) => board.answer(request.id, { isError: true, content: [{ type: 'text', text: 'x' }] }),
    'tool-failed',
  ],
  ['a result that is no object', (request, board) => board.answer(request.id, [1]), 'tool-bad-result'],
])('a board that answers with %s has failed', async (_, answers, code) => {
  await lampBoard(answers)
  expect(await lamp()).toMatchObject({ outcome: 'failed', errorCode: code })
})

test('a call times out after 10 s, and the late answer is dropped', async () => {
  let late: (() => void) | undefined
  await lampBoard((request, board) => {
    if (late) board.answer(request.id, { status: 'second' })
    else late = () => board.answer(request.id, { status: 'late' })
  })
  const call = lamp()
  await clock.advance(9999)
  await clock.advance(1)
  expect(await call).toMatchObject({ outcome: 'timeout', errorCode: 'tool-timeout' })
  late!()
  expect(await lamp()).toMatchObject({ outcome: 'ok', result: { status: 'second' } })
})

test('a board that leaves during a call settles it as disconnected', async () => {
  const board = await lampBoard((_, end) => end.far.close())
  expect(await lamp()).toMatchObject({ outcome: 'failed', errorCode: 'tool-disconnected' })
  expect(board.far.closeCode).toBe(1000)
})

test('an aborted call is cancelled at once', async () => {
  await lampBoard(() => undefined)
  const controller = new AbortController()
  const call = tools.callTool({
    deviceId: 'board',
    name: 'set_lamp',
    arguments: { on: true },
    signal: controller.signal,
    caller,
  })
  await clock.advance(10)
  controller.abort()
  expect(await call).toMatchObject({ outcome: 'cancelled', errorCode: 'tool-cancelled' })
})

test('the seventeenth call in flight is refused', async () => {
  const waiting: (() => void)[] = []
  await lampBoard((request, board) => waiting.push(() => board.answer(request.id, { status: 'ok' })))
  const calls = Array.from({ length: 16 }, () => lamp())
  await vi.waitFor(() => expect(waiting).toHaveLength(16))
  expect(await lamp()).toMatchObject({ outcome: 'refused', errorCode: 'tool-too-many' })
  for (const answer of waiting) answer()
  expect((await Promise.all(calls)).every(({ outcome }) => outcome === 'ok')).toBe(true)
})

test('the ids of a channel are all different', async () => {
  const board = await lampBoard()
  for (let i = 0; i < 20; i++) await lamp()
  const ids = board.requests.map((request) => request['id'])
  expect(new Set(ids).size).toBe(ids.length)
})

test('a newer channel replaces the older with 4409, and its calls end', async () => {
  const older = await lampBoard(() => undefined)
  const call = lamp()
  await vi.waitFor(() => expect(asked(older).at(-1)).toContain('set_lamp'))
  await lampBoard()
  expect(older.far.closeCode).toBe(4409)
  expect(await call).toMatchObject({ errorCode: 'tool-disconnected' })
  expect(boardTools.isReachable('board')).toBe(true)
  expect(await lamp()).toMatchObject({ outcome: 'ok' })
})

test('what is no JSON-RPC text closes the channel with its code', async () => {
  const binary = await lampBoard()
  binary.far.send(new Uint8Array(3))
  expect(await binary.far.closed).toBe(1003)
  const large = await lampBoard()
  large.far.send(JSON.stringify({ id: 1, result: { text: 'a'.repeat(70_000) } }))
  expect(await large.far.closed).toBe(1009)
  const broken = await lampBoard()
  for (let i = 0; i < 20; i++) broken.far.send('{"nothing":1}')
  expect(await broken.far.closed).toBe(4422)
})

test('a board that changes its list is asked again, and on demand, without a second initialize', async () => {
  const board = await lampBoard()
  const before = board.requests.length
  board.far.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }))
  await vi.waitFor(() => expect(board.requests.length).toBe(before + 1))
  await boardTools.refresh('board')
  expect(await names()).toHaveLength(2)
  expect(board.requests.length).toBe(before + 2)
})

test('a ping of the board is answered, other requests are not offered', async () => {
  const board = await lampBoard()
  board.far.send(JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'ping' }))
  board.far.send(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage' }))
  await vi.waitFor(() => expect(board.requests.at(-1)).toMatchObject({ id: 'q', error: { code: -32601 } }))
  expect(board.requests.at(-2)).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
})

test('listeners hear of every change of a board', async () => {
  const heard: unknown[] = []
  boardTools.onChange((deviceId) => heard.push(deviceId))
  const board = await lampBoard()
  await vi.waitFor(() => expect(heard).toEqual(['board', 'board']))
  board.far.close()
  await vi.waitFor(() => expect(heard).toHaveLength(3))
})
