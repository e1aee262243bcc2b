import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../electron/base/clock.ts'
import { silentLog } from '../../electron/base/log.ts'
import { openStore } from '../../electron/server/store/open-store.ts'
import type { Store } from '../../electron/server/store/store.ts'
import { createDeviceTools, type DeviceTools } from '../../electron/server/tools/device-tools.ts'
import { createSchemaChecker } from '../../electron/server/tools/json-schema.ts'
import { createToolHost, type ToolHost } from '../../electron/server/tools/tool-host.ts'
import { createToolRegistry } from '../../electron/server/tools/tool-registry.ts'
import { connectToolBoard, type Message, plainToolBoard, type ToolBoard } from '../support/session-bench.ts'

let dir: string
let store: Store
let boards: DeviceTools
let host: ToolHost
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-foreign-'))
  store = await openStore({ dir, log: silentLog })
  const parts = { clock: systemClock, log: silentLog, checker: createSchemaChecker() }
  const registry = await createToolRegistry({ store: store.tools, edits: store.toolEdits, ...parts })
  boards = createDeviceTools({ registry, store: store.tools, version: '0', publishes: () => true, ...parts })
  host = createToolHost({ registry, providers: [boards], ...parts })
})
afterEach(async () => {
  host.close()
  boards.close()
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

/** Names its tool and then keeps silent: the test answers. */
async function silentBoard(deviceId: string): Promise<ToolBoard> {
  const plain = plainToolBoard(['set_lamp'])
  const board = connectToolBoard({ boardTools: boards }, deviceId, (request, end) => {
    if ((request['params'] as { name?: string } | undefined)?.name !== 'set_lamp') plain(request, end)
  })
  await vi.waitFor(async () => expect(await host.vocabulary(deviceId)).toHaveLength(1))
  return board
}
const calls = (board: ToolBoard) => board.requests.filter(({ method }) => method === 'tools/call')
const idOf = (message: Message | undefined) => Number(message?.['id'])

/** Ten ways to answer what one was not asked. */
const forgeries: readonly ((id: number) => object)[] = [
  (id) => ({ id, result: { status: 'forged' } }),
  (id) => ({ id: String(id), result: { status: 'forged' } }),
  (id) => ({ id: id + 1, result: { status: 'forged' } }),
  (id) => ({ id: id - 1, result: { status: 'forged' } }),
  (id) => ({ id, error: { code: -1, message: 'forged' } }),
  (id) => ({ id: null, error: { code: -1, message: `forged ${id}` } }),
  (id) => ({ id, result: { content: [{ type: 'text', text: 'forged' }] } }),
  (id) => ({ id: -id, result: { status: 'forged' } }),
  (id) => ({ id: `${id}#`, result: { status: 'forged' } }),
  (id) => ({ id: id ^ 0x5555, error: { code: 1, message: 'forged' } }),
]

test('in 1,000 cases no board settles the call of another, and every forgery is counted', async () => {
  const victim = await silentBoard('victim')
  const attacker = await silentBoard('attacker')
  const before = boards.droppedAnswers('attacker')
  const ids = new Set<number>()
  for (let round = 0; round < 1000; round++) {
    const call = host.callTool({
      deviceId: 'victim',
      name: 'set_lamp',
      arguments: { on: true },
      caller: { kind: 'test', id: 'm' },
    })
    const seen = calls(victim).length
    await vi.waitFor(() => expect(calls(victim).length).toBeGreaterThan(seen), { interval: 1 })
    const id = idOf(calls(victim).at(-1))
    ids.add(id)
    attacker.far.send(JSON.stringify({ jsonrpc: '2.0', ...forgeries[round % forgeries.length]!(id) }))
    await vi.waitFor(() => expect(boards.droppedAnswers('attacker')).toBe(before + round + 1), { interval: 1 })
    victim.answer(id, { status: `own ${round}` })
    expect(await call).toMatchObject({ outcome: 'ok', result: { status: `own ${round}` } })
  }
  expect(ids.size).toBe(1000)
  // Each list tells what its own board did.
  expect(await host.list('attacker')).toMatchObject([{ name: 'set_lamp', lateAnswers: before + 1000 }])
  expect((await host.list('victim'))[0]).not.toHaveProperty('lateAnswers')
}, 120_000)

test('a second answer is dropped and counted, also in the same packet', async () => {
  const board = await silentBoard('board')
  const call = host.callTool({
    deviceId: 'board',
    name: 'set_lamp',
    arguments: { on: true },
    caller: { kind: 'test', id: 'm' },
  })
  await vi.waitFor(() => expect(calls(board).length).toBeGreaterThan(1))
  const id = idOf(calls(board).at(-1))
  const before = boards.droppedAnswers('board')
  board.answer(id, { status: 'first' })
  board.answer(id, { status: 'second' })
  expect(await call).toMatchObject({ result: { status: 'first' } })
  await vi.waitFor(() => expect(boards.droppedAnswers('board')).toBe(before + 1))
})

test('an abort tells the board within 200 ms that nobody waits any more', async () => {
  const board = await silentBoard('board')
  const controller = new AbortController()
  const call = host.callTool({
    deviceId: 'board',
    name: 'set_lamp',
    arguments: { on: true },
    caller: { kind: 'turn', id: 't' },
    signal: controller.signal,
  })
  await vi.waitFor(() => expect(calls(board).length).toBeGreaterThan(1))
  const id = idOf(calls(board).at(-1))
  const at = performance.now()
  controller.abort()
  expect(await call).toMatchObject({ outcome: 'cancelled' })
  await vi.waitFor(() =>
    expect(board.requests.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } }),
  )
  expect(performance.now() - at).toBeLessThan(200)
  const before = boards.droppedAnswers('board')
  board.answer(id, { status: 'late' })
  await vi.waitFor(() => expect(boards.droppedAnswers('board')).toBe(before + 1))
})

test('ids of two connections do not follow one another', async () => {
  const firsts = new Set<number>()
  for (const deviceId of ['a', 'b', 'c', 'd']) firsts.add(idOf(calls(await silentBoard(deviceId))[0]))
  expect(firsts.size).toBe(4)
})
