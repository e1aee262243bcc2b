import { AppError } from '../../electron/base/app-error.ts'
import { createLiveFeed } from '../../electron/base/live-feed.ts'
import type { UartEvent, UartLine, UartSession } from '../../electron/contract/uart.ts'
import type { RpcFeatures } from '../../electron/server/rpc/handlers.ts'
import type { WorldName } from './console-world.ts'

// Test support: the serial bench as the scripted server of the console tests plays it.

export interface UartKnobs {
  /** So many more lines cross the wire of the first port. */
  flow(count: number): void
  sent(): readonly string[]
}

const done = { ok: true } as const
const call = '{"role":"AI board","msgType":"MCP","MCP":{"params":{"name":"ACSwitch","arguments":{"enabled":true}}}}'
const answer = 'mcp-responsive {"role":"MCU","msgType":"status","status":"true"}'
const spaced = 'mcp-responsive {"role":"MCU", "msgType":"status","status":"true"}'

export function uartSession(over: Partial<UartSession> = {}): UartSession {
  return {
    id: 'uart-1',
    port: '/dev/ttyUSB1',
    virtual: false,
    role: 'bridge',
    baud: 115_200,
    state: 'open',
    errorCode: null,
    deviceId: 'virtual-1',
    bothSeen: true,
    volume: 70,
    awake: true,
    tools: [
      {
        name: 'ACSwitch',
        description: 'Turns the air conditioner on or off',
        properties: { enabled: { type: 'boolean', description: 'On or off' } },
        problem: null,
      },
      {
        name: 'ACTemp',
        description: 'Sets the temperature',
        properties: { value: { type: 'integer', description: '16 to 30' } },
        problem: null,
      },
      { name: 'SetVolume', description: 'Sets the volume', properties: {}, problem: 'uart-reserved-tool' },
    ],
    lines: 0,
    errors: 0,
    timeouts: 0,
    lateAnswers: 0,
    p50Ms: 27,
    recording: false,
    faultPlan: { delayMs: 0, dropEvery: 0, corruptEvery: 0, reorderEvery: 0, noLineEnd: false },
    hints: [],
    ...over,
  }
}

function lineOf(seq: number, text: string, over: Partial<UartLine> = {}): UartLine {
  return {
    seq,
    at: Date.now() - (200 - seq) * 400,
    from: text.startsWith('{') ? 'board' : 'mcu',
    raw: Buffer.from(`${text}\r\n`).toString('base64'),
    text,
    kind: text.startsWith('{') ? 'call' : 'answer',
    decoded: '',
    faults: [],
    turnId: null,
    latencyMs: null,
    ...over,
  }
}

/** A call and its answer in turn; every ninth answer holds a space that the board does not take. */
function conversation(from: number, count: number): UartLine[] {
  return Array.from({ length: count }, (_, index) => {
    const seq = from + index
    if (seq % 2 === 0) return lineOf(seq, call, { decoded: 'ACSwitch enabled=true', turnId: seq < 4 ? 'turn-1' : null })
    if (seq % 9 !== 0) return lineOf(seq, answer, { decoded: 'true', latencyMs: 20 + (seq % 15) })
    const fault = { rule: 'uart-json-space', byte: 29, severity: 'error', message: 'a space after the comma' } as const
    return lineOf(seq, spaced, { faults: [fault], decoded: '' })
  })
}

export function createUartScript(world: WorldName) {
  const feed = createLiveFeed<UartEvent>()
  const sent: string[] = []
  let sessions: UartSession[] = []
  let lines: UartLine[] = []
  if (world !== 'empty') {
    lines = conversation(0, 120)
    sessions = [
      uartSession({
        lines: 120,
        errors: lines.filter(({ faults }) => faults.length > 0).length,
        ...(world === 'failed'
          ? {
              state: 'failed',
              errorCode: 'uart-unplugged',
              timeouts: 4,
              lateAnswers: 2,
              bothSeen: false,
              hints: [{ code: 'uart-silent-line', detail: 'nothing for 40 s' }],
            }
          : {}),
      }),
    ]
  }
  const tell = () => feed.publish({ type: 'sessions', sessions })
  const find = (id: string) => {
    const found = sessions.find((session) => session.id === id)
    if (!found) throw new AppError('server-not-found', `No port ${id}`)
    return found
  }
  function change(id: string, part: Partial<UartSession>) {
    find(id)
    sessions = sessions.map((session) => (session.id === id ? { ...session, ...part } : session))
    tell()
    return done
  }
  function add(fresh: UartLine[]) {
    lines = [...lines, ...fresh]
    const id = sessions[0]?.id ?? ''
    feed.publish({ type: 'lines', id, lines: fresh })
    change(id, { lines: lines.length })
  }

  const features: RpcFeatures['uart'] = {
    async *watch({ id }, { signal }) {
      const events = feed.subscribe(signal, { snapshot: () => ({ type: 'sessions', sessions }) })
      if (id !== undefined) yield { type: 'lines', id, lines: lines.slice(-500) }
      for await (const event of events) if (event.type === 'sessions' || event.id === id) yield event
    },
    open({ port, baud, role, deviceId }) {
      if (port === '/dev/none') throw new AppError('uart-no-permission', `${port}: permission denied`)
      const session = uartSession({
        id: `uart-${sessions.length + 1}`,
        port,
        baud,
        role,
        deviceId: deviceId ?? null,
        virtual: port.startsWith('/dev/pts'),
      })
      sessions = [session, ...sessions]
      tell()
      return session
    },
    startVirtualMcu: () => ({ port: '/dev/pts/7' }),
    page: ({ before, limit }) => lines.filter(({ seq }) => before === null || seq < before).slice(-limit),
    close: ({ id }) => change(id, { state: 'closed' }),
    send({ text, end }) {
      sent.push(end ? `${text}\r\n` : text)
      add([lineOf(lines.length, text, { from: 'board', kind: 'injected' })])
      return done
    },
    callTool({ name, arguments: args }) {
      add([
        lineOf(lines.length, call, { decoded: `${name} ${JSON.stringify(args)}` }),
        lineOf(lines.length + 1, answer, { latencyMs: 24 }),
      ])
      return { status: 'true' }
    },
    setBaud: ({ id, baud }) => change(id, { baud }),
    setFaults: ({ id, plan }) => change(id, { faultPlan: plan }),
    record: ({ id, on }) => change(id, { recording: on }),
    recording: () => ({ text: lines.map((line) => JSON.stringify(line)).join('\n') }),
    replay: () => done,
    runScript: ({ steps }) =>
      steps.map((step, index) => ({
        title: step.title,
        passed: index % 2 === 0,
        message: index % 2 === 0 ? 'tools after 31 ms' : 'no such line',
        line: index % 2 === 0 ? 1 : null,
      })),
  }
  const knobs: UartKnobs = { flow: (count) => add(conversation(lines.length, count)), sent: () => sent }
  return { features, knobs, close: () => feed.close() }
}
