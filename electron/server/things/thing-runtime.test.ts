import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { AppError } from '../../base/app-error.ts'
import { silentLog } from '../../base/log.ts'
import type { ToolVersion } from '../../contract/tool.ts'
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { openThingBook, type ThingBook } from './thing-book.ts'
import type { HomeCall } from './thing-ports.ts'
import { openThingRuntime, type ThingRuntime } from './thing-runtime.ts'

let dir: string
let store: Store
let clock: ManualClock
let book: ThingBook
let runtime: ThingRuntime
let adopted: ToolVersion[]
let said: string[]
let sent: HomeCall[]
let answer: (call: HomeCall) => Promise<Record<string, unknown>>
let online: boolean

const tools = {
  async adopt(
    content: Omit<ToolVersion, 'name' | 'version' | 'status' | 'createdAt' | 'origin'>,
    { name }: { name: string },
  ) {
    const version = adopted.filter((tool) => tool.name === name).length + 1
    const made: ToolVersion = { ...content, name, version, status: 'published', createdAt: 0, origin: 'thing' }
    adopted.push(made)
    return made
  },
  version: ({ name, version }: { name: string; version: number }) =>
    adopted.find((tool) => tool.name === name && tool.version === version),
  setCanary: async () => undefined,
  isTaken: () => false,
}
const home = {
  reaches: () => online,
  call(call: HomeCall) {
    sent.push(call)
    return answer(call)
  },
}
const ports = {
  board: home,
  uart: home,
  async announce(deviceId: string, { en, zh }: { en: string; zh: string }) {
    said.push(`${deviceId}: ${en} ${zh}`)
    return true
  },
}
async function restart(): Promise<void> {
  // Never one twice: what an earlier test wrote may still be on its way.
  const newId = () => crypto.randomUUID()
  book = await openThingBook({ store: store.things, tools, clock, newId })
  runtime = await openThingRuntime({ store: store.things, book, tools, clock, log: silentLog, newId, ports })
}
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-things-'))
  store = await openStore({ dir, log: silentLog })
}, 60_000)
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})
beforeEach(async () => {
  clock = createManualClock()
  adopted = []
  said = []
  sent = []
  online = true
  answer = async () => ({ status: 'ok' })
  await restart()
})
afterEach(async () => {
  runtime.close()
  book.close()
  for (const { id } of await store.things.bindings()) await store.things.removeBinding(id)
  const named = [...(await store.things.versions()), ...(await store.things.drafts())]
  for (const name of new Set(named.map((row) => row.name))) await store.things.removeThing(name)
})

const draw = (name: string, template: string) => book.openDraft({ name, template, author: 'ada' })
async function published(name: string, template: string) {
  const { id } = await draw(name, template)
  return book.publish({ draftId: id, author: 'ada', basedOn: null, note: '', canary: [] })
}
const bound = async (place: 'simulated' | 'board' | 'uart') => {
  await published('air', 'air_conditioner')
  return runtime.bind({ thing: 'air', deviceId: 'b1', home: place, pin: null })
}
const live = () => runtime.snapshot('b1')[0]!
async function call(name: string, args: Record<string, unknown> = {}, signal = new AbortController().signal) {
  const tool = (await runtime.provider.offers('b1')).find((offer) => offer.name === name)?.tool
  if (!tool) throw new Error(`no ${name}`)
  return runtime.provider.call({ deviceId: 'b1', tool, arguments: args, signal, timeoutMs: 1000, turnId: null })
}

test('a simulated Thing is called by voice, its readings have an age, and its calls leave a trace', async () => {
  await bound('simulated')
  expect(live()).toMatchObject({ version: 1, reachable: true, readings: { temperature: { value: 26, pending: null } } })
  await clock.advance(1000)
  expect(await call('set_temperature', { temperature: 22 })).toEqual({ status: 'ok' })
  expect(await call('get_temperature')).toEqual({ value: 22 })
  await expect(call('set_fan_speed', { fan_speed: 9 })).rejects.toMatchObject({ code: 'tool-failed' })
  expect(live().calls.map(({ at: _at, ...rest }) => rest)).toEqual([
    { tool: 'set_temperature', arguments: { temperature: 22 }, result: { status: 'ok' } },
    { tool: 'get_temperature', arguments: {}, result: { value: 22 } },
    { tool: 'set_fan_speed', arguments: { fan_speed: 9 }, result: { error: 'tool-failed' } },
  ])
  expect(live().readings['temperature']).toMatchObject({ value: 22, at: Math.round(clock.now()) })
})

test('a recording plays into a simulated Thing as hands would, is told whole, and ends with its binding', async () => {
  const { id } = await bound('simulated')
  const bad = runtime.startReplay({ bindingId: id, file: 'a.csv', text: 'time,temperature\n0,99\n' })
  expect(bad.faults).toMatchObject([{ line: 2, column: 'temperature', code: 'bad-value' }])
  expect(live().replay).toBeNull()
  expect(() => runtime.steerReplay(id, { action: 'play' })).toThrow(
    expect.objectContaining({ code: 'thing-no-replay' }),
  )
  const text = 'time,temperature,power\n0,20,on\n60,21,\n'
  expect(runtime.startReplay({ bindingId: id, file: 'a.csv', text })).toEqual({ faults: [] })
  expect(await call('get_temperature')).toEqual({ value: 20 })
  runtime.steerReplay(id, { action: 'play', speed: 60 })
  await clock.advance(1000)
  expect(live()).toMatchObject({
    replay: { state: 'ended', file: 'a.csv', rows: 2 },
    readings: { temperature: { value: 21 } },
  })
  runtime.steerReplay(id, { action: 'play' })
  await runtime.unbind(id)
  await clock.advance(10_000)
  expect(runtime.snapshot('b1')).toEqual([])
})

test('state and history outlive a restart', async () => {
  const { id } = await bound('simulated')
  await clock.advance(5)
  await runtime.write({ bindingId: id, property: 'temperature', value: 20 })
  await vi.waitFor(async () =>
    expect(
      (await runtime.history({ bindingId: id, property: 'temperature', limit: 10 })).map(({ value }) => value),
    ).toEqual([26, 20]),
  )
  await restart()
  expect(live().readings['temperature']?.value).toBe(20)
  expect(await call('get_temperature')).toEqual({ value: 20 })
})

test('a draft is simulated and spoken to before it is published, follows its edits, and becomes the version', async () => {
  const draft = await draw('air', 'air_conditioner')
  const { id } = await runtime.simulate({ draftId: draft.id, deviceId: 'b1' })
  const [offer] = await runtime.provider.offers('b1')
  expect(offer).toMatchObject({ name: 'set_power', tool: { version: 1_000_001, status: 'published' }, reachable: true })
  await call('set_temperature', { temperature: 30 })
  const narrow = draft.model.properties.map((p) => (p.name === 'temperature' ? { ...p, maximum: 28 } : p))
  await book.saveDraft({ id: draft.id, revision: 1, model: { ...draft.model, properties: narrow } })
  await vi.waitFor(() => expect(live().readings['temperature']?.value).toBe(26))
  await expect(call('set_temperature', { temperature: 30 })).rejects.toMatchObject({ code: 'tool-failed' })
  await book.publish({ draftId: draft.id, author: 'ada', basedOn: null, note: '', canary: [] })
  await vi.waitFor(async () => expect((await runtime.provider.offers('b1'))[0]?.tool.version).toBe(1))
  expect(live().binding.id).toBe(id)
})

test('a canary gives its tools to its board alone, and a pin holds a board where it is', async () => {
  await bound('simulated')
  await runtime.bind({ thing: 'air', deviceId: 'b2', home: 'simulated', pin: null })
  const { id, model } = await book.openDraft({ name: 'air', author: 'ada' })
  const narrow = model.properties.map((p) => (p.name === 'temperature' ? { ...p, minimum: 18 } : p))
  await book.saveDraft({ id, revision: 1, model: { ...model, properties: narrow } })
  await book.publish({ draftId: id, author: 'ada', basedOn: 1, note: '', canary: ['b2'] })
  const minimum = async (deviceId: string) => {
    const offers = await runtime.provider.offers(deviceId)
    const tool = offers.find(({ name }) => name === 'set_temperature')?.tool
    return (tool?.arguments['properties'] as Record<string, { minimum: number }>)['temperature']?.minimum
  }
  await vi.waitFor(async () => expect([await minimum('b1'), await minimum('b2')]).toEqual([16, 18]))
  await book.promote('air', 2)
  await vi.waitFor(async () => expect(await minimum('b1')).toBe(18))
})

test('faults: late, failing, silent until the time-out', async () => {
  const { id } = await bound('simulated')
  runtime.setFault(id, { delayMs: 500, failure: 'none' })
  const late = call('set_power', { power: true })
  await vi.waitFor(() => expect(live().readings['power']).toMatchObject({ value: false, pending: true }))
  await clock.advance(500)
  expect(await late).toEqual({ status: 'ok' })
  expect(live().readings['power']).toMatchObject({ value: true, pending: null })
  runtime.setFault(id, { delayMs: 0, failure: 'error' })
  expect(await runtime.write({ bindingId: id, property: 'power', value: false })).toMatchObject({
    outcome: 'failed',
    errorCode: 'tool-failed',
  })
  runtime.setFault(id, { delayMs: 0, failure: 'silent' })
  const silent = runtime.write({ bindingId: id, property: 'power', value: false })
  await clock.advance(10_000)
  expect(await silent).toMatchObject({ outcome: 'timeout', errorCode: 'tool-timeout' })
  expect(live().readings['power']).toMatchObject({ value: true, pending: null })
})

test('by hand: values, events that are announced, and what does not fit', async () => {
  await published('lamp', 'lamp')
  const { id: bindingId } = await runtime.bind({ thing: 'lamp', deviceId: 'b1', home: 'simulated', pin: null })
  runtime.setReading({ bindingId, property: 'brightness', value: 5 })
  expect(live().readings['brightness']?.value).toBe(5)
  await runtime.raise({ bindingId, event: 'overheat', params: { celsius: 90 } })
  expect(said).toEqual(['b1: The lamp is too hot: 90 degrees. 灯太热了，有90度。'])
  expect(live().occurrences).toMatchObject([{ event: 'overheat', params: { celsius: 90 }, announced: true }])
  expect(() => runtime.setReading({ bindingId, property: 'brightness', value: 500 })).toThrow(/at most 100/)
  await expect(runtime.raise({ bindingId, event: 'overheat', params: {} })).rejects.toMatchObject({
    code: 'tool-bad-arguments',
  })
  expect(await runtime.write({ bindingId, property: 'brightness', value: 101 })).toMatchObject({ outcome: 'refused' })
  await expect(runtime.invoke({ bindingId, method: 'dance', arguments: {} })).rejects.toMatchObject({
    code: 'thing-member-unknown',
  })
  expect(await runtime.invoke({ bindingId, method: 'blink', arguments: { times: 3 } })).toMatchObject({
    outcome: 'ok',
    ref: 'blink@1',
  })
})

test.each([
  ['board', { temperature: 21 }, { status: 'ok' }],
  ['uart', { value: '21' }, { value: 'true' }],
] as const)(
  'a Thing on a %s answers in the same shape, and what it says is its state',
  async (place, reading, done) => {
    const { id } = await bound(place)
    // What it can tell is asked for first; here it tells nothing that fits.
    await vi.waitFor(() => expect(sent).toHaveLength(5))
    sent = []
    answer = async ({ name }) => (name === 'get_temperature' ? reading : done)
    expect(live().readings['temperature']).toEqual({ value: null, at: null, pending: null })
    const order = { bindingId: id, property: 'temperature', value: 20 }
    expect(await runtime.write(order)).toMatchObject({ outcome: 'ok', result: { status: 'ok' } })
    // A board offers its tools itself; the host tells what they answered.
    if (place === 'board') runtime.noteCall({ deviceId: 'b1', name: 'get_temperature', arguments: {}, result: reading })
    else expect(await call('get_temperature')).toEqual({ value: 21 })
    expect(sent.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['set_temperature', { temperature: 20 }],
      ...(place === 'board' ? [] : [['get_temperature', {}]]),
    ])
    expect(live().readings['temperature']?.value).toBe(21)
    expect(live().calls.at(-1)).toMatchObject({ tool: 'get_temperature', arguments: {}, result: { value: 21 } })
    answer = () => Promise.reject(new AppError('tool-disconnected', 'gone'))
    expect(await runtime.write({ bindingId: id, property: 'power', value: true })).toMatchObject({
      errorCode: 'tool-disconnected',
    })
    online = false
    expect(live().reachable).toBe(false)
    expect(() => runtime.setFault(id, { delayMs: 1, failure: 'none' })).toThrow(/real/)
  },
)

test('a call past the provider to the board is seen', async () => {
  await bound('board')
  runtime.noteCall({ deviceId: 'b1', name: 'set_fan_speed', arguments: { fan_speed: 4 }, result: { status: 'ok' } })
  runtime.noteCall({ deviceId: 'b2', name: 'set_fan_speed', arguments: { fan_speed: 1 }, result: { status: 'ok' } })
  expect(live().readings['fan_speed']?.value).toBe(4)
  expect(live().calls).toHaveLength(1)
})

test('watchers get all of it at every change; a removed Thing goes from its boards', async () => {
  const ending = new AbortController()
  const watcher = runtime.watch('b1', ending.signal)[Symbol.asyncIterator]()
  expect((await watcher.next()).value).toEqual([])
  const { id } = await bound('simulated')
  expect((await watcher.next()).value).toMatchObject([{ binding: { id } }])
  await expect(runtime.bind({ thing: 'air', deviceId: 'b1', home: 'board', pin: null })).rejects.toMatchObject({
    code: 'thing-already-bound',
  })
  await expect(runtime.bind({ thing: 'none', deviceId: 'b1', home: 'board', pin: null })).rejects.toMatchObject({
    code: 'thing-version-unknown',
  })
  await book.remove('air')
  await vi.waitFor(() => expect(runtime.snapshot()).toEqual([]))
  expect(runtime.bindings()).toEqual([])
  await expect(runtime.unbind(id)).rejects.toMatchObject({ code: 'thing-not-bound' })
  ending.abort()
})

test('a real Thing is asked for what it can tell once when it is bound, and again when its board came back', async () => {
  answer = async ({ name }) => ({ value: name === 'get_temperature' ? 24 : name === 'get_power' ? true : 3 })
  await bound('board')
  await vi.waitFor(() => expect(live().readings['fan_speed']).toMatchObject({ value: 3, at: Math.round(clock.now()) }))
  await vi.waitFor(() => expect(sent).toHaveLength(5))
  expect(live().readings).toMatchObject({ power: { value: true }, temperature: { value: 24 }, mode: { value: null } })
  expect(live().calls).toEqual([])
  runtime.reachabilityChanged('b1')
  expect(sent).toHaveLength(5)
  online = false
  runtime.reachabilityChanged('b1')
  online = true
  runtime.reachabilityChanged('b1')
  await vi.waitFor(() => expect(sent).toHaveLength(10))
})

test('a board that does not know the tools yet is asked again when it has told them', async () => {
  let knows = false
  answer = async () => {
    if (!knows) throw new AppError('tool-unknown', 'not yet')
    return { value: 20 }
  }
  await bound('board')
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  knows = true
  await vi.waitFor(() => {
    runtime.reachabilityChanged('b1')
    expect(live().readings['temperature']?.value).toBe(20)
  })
})

test('what a board reports of itself is an event of its Thing, said aloud, and said once when it comes in a flood', async () => {
  await bound('board')
  const report = { deviceId: 'b1', code: 'filter_dirty', message: '' }
  await runtime.reported({ ...report, code: 'nothing_known' })
  for (let times = 0; times < 3; times++) await runtime.reported(report)
  expect(live().occurrences).toMatchObject([{ announced: true }, { announced: false }, { announced: false }])
  await clock.advance(10_000)
  await runtime.reported(report)
  expect(said).toHaveLength(2)
})

test('figures of a reported event are taken from its message when they fit, and left out when they do not', async () => {
  const draft = await draw('ring', 'lamp')
  const params = [
    { name: 'celsius', description: '', names: { en: [], zh: [] }, type: 'integer' as const, valueNames: {} },
  ]
  const events = [{ name: 'too_hot', description: '', names: { en: [], zh: [] }, params, announce: null }]
  await book.saveDraft({ id: draft.id, revision: 1, model: { ...draft.model, events } })
  await book.publish({ draftId: draft.id, author: 'ada', basedOn: null, note: '', canary: [] })
  await runtime.bind({ thing: 'ring', deviceId: 'b1', home: 'board', pin: null })
  for (const message of ['{"celsius":81}', '{"celsius":"81"}', '{', '[81]'])
    await runtime.reported({ deviceId: 'b1', code: 'too_hot', message })
  expect(live().occurrences.map((one) => one.params)).toEqual([{ celsius: 81 }, {}, {}, {}])
})
