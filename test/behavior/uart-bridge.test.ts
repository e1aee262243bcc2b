import { expect, test } from 'vitest'
import type { UartLine, UartSession } from '../../electron/contract/uart.ts'
import { fromWire, type RpcClient } from '../../electron/server/rpc/rpc-client.ts'
import { followTurns, startRoost } from '../support/roost-server.ts'
import { runRoost } from '../support/roost-process.ts'
import { openRawPort, startUartEnd } from '../support/uart-ends.ts'

/** Follows the lines and the view of one session. */
async function follow(client: RpcClient, id: string) {
  const lines: UartLine[] = []
  let view: UartSession | undefined
  let wake = Promise.withResolvers<undefined>()
  const events = await client.uart.watch({ id })
  void (async () => {
    for await (const event of events) {
      if (event.type === 'lines') lines.push(...event.lines)
      else view = event.sessions.find((session) => session.id === id) ?? view
      wake.resolve(undefined)
      wake = Promise.withResolvers()
    }
  })().catch(() => undefined)
  return {
    lines,
    view: () => view,
    async until<T>(find: () => T | undefined | false): Promise<T> {
      for (;;) {
        const found = find()
        if (found !== undefined && found !== false) return found
        await wake.promise
      }
    },
  }
}

const patience = { timeout: 180_000 }

/** The code that it is refused with. */
async function refusal(asked: Promise<unknown>): Promise<string | undefined> {
  try {
    await asked
    return undefined
  } catch (error) {
    return fromWire(error).code
  }
}

/** The registry takes a declared set a moment after the bench shows it. */
async function offered(client: RpcClient, deviceId: string, count: number) {
  const list = async () => (await client.tools.ofDevice({ deviceId })).filter(({ source }) => source === 'uart')
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(count)
  return list()
}

const has = (lines: readonly UartLine[], kind: string, text: string) =>
  lines.find((line) => line.kind === kind && line.decoded.includes(text))

test('a microcontroller on a serial port is a device, and a voice calls its tools', patience, async () => {
  const roost = await startRoost()
  const mcu = await startUartEnd('mcu')
  const board = roost.board({ deviceId: 'desk' })
  await board.online
  const client = await roost.rpc()

  const session = await client.uart.open({ port: mcu.port, baud: 115_200, role: 'bridge' })
  const bench = await follow(client, session.id)
  await bench.until(() => bench.view()?.tools.length === 4)
  expect(has(bench.lines, 'status', 'ERROR:Tools NULL')).toBeDefined()
  const own = session.deviceId ?? ''
  await offered(client, own, 4)
  const atDesk = await offered(client, 'desk', 4)
  expect(
    atDesk.map(({ name, reachable, provider, withheld }) => ({ name, reachable, provider, withheld })),
  ).toContainEqual({ name: 'ACSwitch', reachable: true, provider: mcu.port, withheld: null })

  const turns = await followTurns(client)
  const { turnId } = await client.talk.type({ deviceId: 'desk', text: '打开空调' })
  const turn = await turns.ended(turnId)
  expect(turn.calls).toMatchObject([
    { ref: 'ACSwitch@1', arguments: { enabled: true }, outcome: 'ok', result: { status: 'ok' } },
  ])
  expect(await mcu.event('call')).toMatchObject({ name: 'ACSwitch', arguments: { enabled: true } })
  const answer = await bench.until(() => has(bench.lines, 'answer', 'true'))
  expect(answer).toMatchObject({ turnId, from: 'mcu', faults: [] })
  expect(answer.latencyMs).toBeGreaterThanOrEqual(0)
  const subtitle = await mcu.event('subtitle')
  expect(subtitle).toMatchObject({ text: turn.replyText, emoji: '😊', emotion: 'happy' })
  await bench.until(() => has(bench.lines, 'status', '3.Sleep'))

  const asked = await client.tools.call({ deviceId: 'desk', name: 'ACTemperature', arguments: {} })
  expect(asked).toMatchObject({ outcome: 'ok', result: { value: 26 } })
  const refused = await client.tools.call({ deviceId: 'desk', name: 'ACTemperature', arguments: { temperature: 99 } })
  expect(refused).toMatchObject({ outcome: 'failed', errorCode: 'tool-failed' })

  await client.uart.close({ id: session.id })
  await offered(client, 'desk', 0)
})

test(
  'bound to one board, only its voice may call; a slow answer is a time-out and the next call is not mixed up',
  patience,
  async () => {
    const roost = await startRoost()
    const mcu = await startUartEnd('mcu')
    const [desk, shelf] = [roost.board({ deviceId: 'desk' }), roost.board({ deviceId: 'shelf' })]
    await Promise.all([desk.online, shelf.online])
    const client = await roost.rpc()
    const session = await client.uart.open({ port: mcu.port, baud: 115_200, role: 'bridge', deviceId: 'desk' })
    expect(session.deviceId).toBe('desk')
    const bench = await follow(client, session.id)
    await bench.until(() => bench.view()?.tools.length === 4)
    await offered(client, 'desk', 4)
    expect((await client.tools.ofDevice({ deviceId: 'shelf' })).filter(({ source }) => source === 'uart')).toEqual([])

    mcu.write('delay 6000\n')
    const call = (args: Record<string, unknown>) =>
      client.tools.call({ deviceId: 'desk', name: 'ACTemperature', arguments: args })
    const slow = call({ temperature: 20 })
    await mcu.event('call')
    mcu.write('delay 0\n')
    const next = call({})
    expect(await slow).toMatchObject({ outcome: 'timeout', errorCode: 'tool-timeout' })
    // The late "true" of the first must not become the temperature of the second.
    expect(await next).toMatchObject({ outcome: 'ok', result: { value: 20 } })
    const late = await bench.until(() =>
      bench.lines.find(({ faults }) => faults.some(({ rule }) => rule === 'uart-late-answer')),
    )
    expect(late).toMatchObject({ decoded: 'true', turnId: null, latencyMs: null })
    await bench.until(() => (bench.view()?.timeouts ?? 0) === 1 && bench.view()?.lateAnswers === 1)
    expect(bench.view()?.hints.map(({ code }) => code)).toContain('uart-slow-mcu')
  },
)

test('roost uart bridge makes a device of the running server and takes it away again', patience, async () => {
  const roost = await startRoost()
  const mcu = await startUartEnd('mcu')
  const bridge = runRoost(['uart', 'bridge', '--port', mcu.port, '--data', roost.dataDir])
  const ready = await bridge.line((line) => line['ready'] === true)
  const client = await roost.rpc()
  await bridge.line((line) => line['kind'] === 'tools')
  await offered(client, String(ready['device']), 4)
  const called = await client.tools.call({
    deviceId: String(ready['device']),
    name: 'ACSwitch',
    arguments: { enabled: true },
  })
  expect(called).toMatchObject({ outcome: 'ok' })
  bridge.child.kill('SIGTERM')
  expect(await bridge.ended).toEqual({ code: 0, signal: null })
  const gone = await client.tools.call({ deviceId: String(ready['device']), name: 'ACSwitch', arguments: {} })
  expect(gone.outcome).not.toBe('ok')
})

test('a speed change, missing ends and spaces are named on the wire, and the bridge goes on', patience, async () => {
  const roost = await startRoost()
  const mcu = await startUartEnd('mcu')
  const client = await roost.rpc()
  const session = await client.uart.open({ port: mcu.port, baud: 115_200, role: 'bridge' })
  const bench = await follow(client, session.id)
  await bench.until(() => bench.view()?.tools.length === 4)

  mcu.write('baud 921600\n')
  await mcu.event('baud')
  await bench.until(() => bench.view()?.baud === 921_600)
  mcu.write('spaces on\nvolume 30\n')
  await bench.until(() => bench.lines.find(({ faults }) => faults.some(({ rule }) => rule === 'uart-json-space')))
  mcu.write('spaces off\nnoend on\nvolume 31\n')
  await bench.until(() => bench.lines.find(({ faults }) => faults.some(({ rule }) => rule === 'uart-no-line-end')))
  mcu.write('noend off\nvolume 101\n')
  await bench.until(() => bench.lines.find(({ faults }) => faults.some(({ rule }) => rule === 'uart-volume-range')))
  mcu.write('volume 32\n')
  await bench.until(() => bench.view()?.volume === 32)
  expect(bench.view()).toMatchObject({ state: 'open', bothSeen: true })
  expect(await client.uart.callTool({ id: session.id, name: 'ACMode', arguments: {} })).toEqual({ status: 'cool' })
})

test(
  'the bench plays the microcontroller against a board, records, replays, runs a script and guesses a speed',
  patience,
  async () => {
    const roost = await startRoost()
    const board = await startUartEnd('board')
    const client = await roost.rpc()
    const { id } = await client.uart.open({ port: board.port, baud: 115_200, role: 'mcu' })
    const bench = await follow(client, id)
    await client.uart.record({ id, on: true })
    board.write('wake\n')
    await bench.until(() => has(bench.lines, 'tools', 'ACSwitch'))
    board.write('call ACSwitch {"enabled":true}\n')
    expect(await board.event('answer')).toMatchObject({ status: 'true' })
    await client.uart.record({ id, on: false })

    const results = await client.uart.runScript({
      id,
      steps: [
        {
          title: 'volume',
          send: 'volume-set {"role":"MCU","msgType":"status","status":12}',
          expect: { from: 'board', kind: 'volume', fields: { volume: 12, status: 'OK' }, withinMs: 3_000 },
        },
        {
          title: 'never comes',
          send: null,
          expect: { from: 'board', kind: 'call', fields: { MCP: { params: { name: 'Nope' } } }, withinMs: 50 },
        },
      ],
    })
    expect(results.map(({ title, passed }) => [title, passed])).toEqual([
      ['volume', true],
      ['never comes', false],
    ])

    const { text } = await client.uart.recording({ id })
    const recorded = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { from: string; at: number })
    expect(new Set(recorded.map(({ from }) => from))).toEqual(new Set(['board', 'mcu']))
    const before = board.events().filter(({ kind }) => kind === 'tools').length
    await client.uart.replay({ id, text })
    await board.line(() => board.events().filter(({ kind }) => kind === 'tools').length > before)
    expect(await refusal(client.uart.replay({ id, text: 'no recording' }))).toBe('uart-bad-recording')
    const page = await client.uart.page({ id, before: 2, limit: 10 })
    expect(page.map(({ seq }) => seq)).toEqual([0, 1])
    await client.uart.close({ id })

    const other = await startUartEnd('board', ['--baud', '9600'])
    const wrong = await client.uart.open({ port: other.port, baud: 115_200, role: 'listen' })
    const listening = await follow(client, wrong.id)
    other.write('wake\nsleep\nwake\n')
    await listening.until(() =>
      listening.view()?.hints.find(({ code, detail }) => code === 'uart-baud-guess' && detail === '9600'),
    )
    await client.uart.setBaud({ id: wrong.id, baud: 9600 })
    other.write('sleep\n')
    await listening.until(() => has(listening.lines, 'status', '3.Sleep'))
    await listening.until(() => listening.view()?.hints.length === 0)
    expect(await refusal(client.uart.send({ id: wrong.id, text: 'x', end: true }))).toBe('uart-listens-only')
  },
)

test('the fault plan delays, drops, corrupts and leaves ends out of what we send', patience, async () => {
  const roost = await startRoost()
  const client = await roost.rpc()
  const { port } = await client.uart.startVirtualMcu({})
  const { id, virtual } = await client.uart.open({ port, baud: 115_200, role: 'board' })
  expect(virtual).toBe(true)
  const bench = await follow(client, id)
  await client.uart.send({ id, text: '{"role":"AI board","msgType":"status","status":"ERROR:Tools NULL"}', end: true })
  await bench.until(() => bench.view()?.tools.length === 4)
  expect(await client.uart.callTool({ id, name: 'ACSwitch', arguments: {} })).toEqual({ status: 'false' })
  await client.uart.setFaults({ id, plan: { delayMs: 0, dropEvery: 1, corruptEvery: 0, noLineEnd: false } })
  expect(await refusal(client.uart.callTool({ id, name: 'ACSwitch', arguments: {} }))).toBe('uart-answer-timeout')
  await client.uart.setFaults({ id, plan: { delayMs: 0, dropEvery: 0, corruptEvery: 0, noLineEnd: false } })
  expect(await client.uart.callTool({ id, name: 'ACSwitch', arguments: { enabled: true } })).toEqual({ status: 'true' })
  const dropped = bench.lines.filter(({ faults }) => faults.some(({ rule }) => rule === 'uart-fault-injected'))
  expect(dropped.map(({ kind }) => kind)).toContain('query')
  expect(await refusal(client.uart.open({ port, baud: 115_200, role: 'board' }))).toBe('uart-port-open')
  await expect(openRawPort('/dev/does-not-exist')).rejects.toThrow()
})
