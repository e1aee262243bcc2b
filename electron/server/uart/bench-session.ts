import { AppError, toAppError } from '../../base/app-error.ts'
import type { ByteWire } from '../../base/byte-wire.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { UartFaultPlan, UartLine, UartSession, UartStep, UartStepResult } from '../../contract/uart.ts'
import { createLineSplitter, type WireLine, wireLine } from '../../contract/uart-bytes.ts'
import type { BoardLine, McuTool } from '../../contract/uart-wire.ts'
import { createBoardSide, type ToolAsk } from './board-side.ts'
import { createLineBook, type LineBook } from './line-book.ts'
import { readLine, sideOf } from './line-view.ts'
import { type Recorded, createRecorder, parseRecording } from './recording.ts'
import type { SessionWire } from './rejoining-wire.ts'
import { runScript } from './script-run.ts'
import { createSender, type Sender } from './sender.ts'
import type { SessionOrder } from './session-order.ts'
import { createSessionView } from './session-view.ts'
import { createWireWatch } from './wire-watch.ts'

/** The microcontroller that the bench plays; `electron/virtual/mcu` is one. */
export interface PlayedMcu {
  receive(line: WireLine): void
  close(): void
}

export interface SessionOptions {
  readonly order: SessionOrder
  readonly wire: SessionWire
  readonly clock: Clock
  readonly log: Log
  /** Its own folder; removed at the end. */
  readonly dir: string
  readonly playMcu: (send: (text: string) => void) => PlayedMcu
  readonly onSession: (session: UartSession) => void
  readonly onLines: (lines: readonly UartLine[]) => void
  readonly onTools: (tools: readonly McuTool[]) => void
}

export interface BenchSession {
  view(): UartSession
  readonly newest: readonly UartLine[]
  page(before: number | null, limit: number): Promise<UartLine[]>
  /** Exactly these characters; `end` adds `\r\n`. Throws `uart-listens-only`. */
  send(text: string, end: boolean): void
  /** The status. Rejects `uart-not-the-board` and what BoardSide.call rejects. */
  call(ask: ToolAsk): Promise<string>
  setBaud(baud: number): Promise<void>
  setFaults(plan: UartFaultPlan): void
  record(on: boolean): void
  recording(): string
  /** Our side's lines of the recording, in their own rhythm. Throws `uart-bad-recording`, `uart-listens-only`. */
  replay(text: string): void
  runScript(steps: readonly UartStep[]): Promise<UartStepResult[]>
  /** For a bridge: a conversation begins or ends, and what is said in it. */
  wake(): void
  sleep(): void
  say(line: BoardLine): void
  close(): Promise<void>
}

/** A partial line that is silent for so long was sent without its end. */
const silenceMs = 1_000
const tickMs = 500
const longestGapMs = 10_000

export function createBenchSession(options: SessionOptions): BenchSession {
  const { order, wire, clock } = options
  const log = options.log.child('session', { port: order.port, role: order.role })
  const stop = new AbortController()
  const recorder = createRecorder()
  const watch = createWireWatch(order.baud)
  const sender = createSender({ wire, clock, signal: stop.signal, onSent: () => watch.sent(clock.now()), log })
  const view = createSessionView(order, { recorder, watch, clock })
  const book = createLineBook({ ...options, recorder, view })
  const ours = order.role === 'mcu' ? 'mcu' : 'board'

  const transmit: Transmit = (bytes, how) =>
    sender.send(bytes, how.exact, (faults) => {
      const line = readLine(wireLine(bytes), ours)
      view.follow(line)
      book.note(how.exact ? { ...line, kind: 'injected' } : line, { turnId: how.turnId, faults })
    })
  const side = createPluggedSide(options, { transmit, sender, view, watch, log })

  const take = (line: WireLine) => {
    const read = readLine(line, order.role === 'listen' ? sideOf(line.text) : ours === 'board' ? 'mcu' : 'board')
    if (read.kind !== 'unknown') watch.understood()
    book.note(read, { turnId: null, faults: [] })
    const baud = view.follow(read)
    if (baud !== null) void setBaud(baud).catch((error: unknown) => log.warn('speed not followed', { error }))
    side.receive(line)
  }
  const reader = readLines(wire, { clock, take, onBytes: (bytes) => watch.bytes(bytes, clock.now()) })

  async function setBaud(baud: number): Promise<void> {
    await sender.setBaud(baud)
    // What was read at the other speed must not spoil the first line at this one.
    reader.flush()
    watch.setBaud(baud)
    view.set({ baud })
  }

  const stopTick = repeat(clock, () => {
    if (book.expire()) log.debug('a call was not answered in time')
    if (view.changed()) options.onSession(view.now())
  })
  view.open()
  options.onSession(view.now())
  side.start()
  return {
    ...side.voice,
    ...toolbox({ transmit, sender, recorder, book, view, stop, options, setBaud }),
    async close() {
      stop.abort()
      stopTick()
      reader.stop()
      side.close()
      await wire.close()
      await book.close()
    },
  }
}

function repeat(clock: Clock, tick: () => void): () => void {
  let stop = clock.after(tickMs, function next() {
    tick()
    stop = clock.after(tickMs, next)
  })
  return () => stop()
}

function again(options: SessionOptions, { baud, tools }: UartSession): SessionOptions {
  return { ...options, order: { ...options.order, baud, tools } }
}

interface ReadParts {
  readonly clock: Clock
  readonly take: (line: WireLine) => void
  readonly onBytes: (bytes: Uint8Array) => void
}

/** Lines as they come; what stays without an end is one too, after a silence or at a `flush`. */
function readLines(wire: ByteWire, { clock, take, onBytes }: ReadParts): { stop(): void; flush(): void } {
  const splitter = createLineSplitter()
  let stopSilence: (() => void) | undefined
  const flush = () => {
    const line = splitter.flush()
    if (line) take(line)
  }
  const stop = wire.onData((bytes) => {
    onBytes(bytes)
    stopSilence?.()
    for (const line of splitter.push(bytes)) take(line)
    if (splitter.waiting > 0) stopSilence = clock.after(silenceMs, flush)
  })
  return {
    flush,
    stop() {
      stop()
      stopSilence?.()
    },
  }
}

type Transmit = (bytes: Uint8Array, how: { readonly exact: boolean; readonly turnId: string | null }) => void

interface SideParts {
  readonly transmit: Transmit
  readonly sender: Sender
  readonly view: ReturnType<typeof createSessionView>
  readonly watch: ReturnType<typeof createWireWatch>
  readonly log: Log
}

/** Who we are on this line: a voice board, a microcontroller, or nobody. */
function createSide(options: SessionOptions, { transmit, sender, view, watch, log }: SideParts) {
  const { order, clock } = options
  const encode = (text: string) => new TextEncoder().encode(text)
  const silent = {
    call: () => Promise.reject(notTheBoard()),
    wake: () => undefined,
    sleep: () => undefined,
    say: () => undefined,
  }
  if (order.role === 'listen')
    return { start: () => undefined, receive: () => undefined, close: () => undefined, voice: silent }
  if (order.role === 'mcu') {
    const mcu = options.playMcu((text) => transmit(encode(text), { exact: false, turnId: null }))
    return {
      start: () => undefined,
      receive: (line: WireLine) => mcu.receive(line),
      close: () => mcu.close(),
      voice: silent,
    }
  }
  let tools = order.tools
  const board = createBoardSide({
    clock,
    baud: order.baud,
    tools,
    send: (text, turnId) => transmit(encode(text), { exact: false, turnId }),
    setBaud(baud) {
      watch.setBaud(baud)
      sender.setBaud(baud).then(
        () => view.set({ baud }),
        (error: unknown) => view.fail(toAppError(error).code),
      )
    },
    onLate: (status) => log.info('an answer came that nobody waits for', { status: status.slice(0, 80) }),
    onChange(state) {
      view.set({ volume: state.volume, awake: state.awake })
      if (state.tools === tools) return
      tools = state.tools
      view.setTools(tools)
      options.onTools(tools)
    },
  })
  view.setTools(tools)
  return {
    start: () => board.power(),
    receive: (line: WireLine) => board.receive(line),
    close: () => board.close(),
    voice: {
      call: (ask: ToolAsk) => board.call(ask),
      wake: () => board.wake(),
      sleep: () => board.sleep(),
      say: (line: BoardLine) => board.say(line),
    },
  }
}

type Voice = Pick<BenchSession, 'call' | 'wake' | 'sleep' | 'say'>

/** Our side while the cable is in. A device that was without power knows nothing of before: we begin anew with it. */
function createPluggedSide(options: SessionOptions, parts: SideParts) {
  const { wire } = options
  const { view } = parts
  let side = createSide(options, parts)
  const changed = () => options.onSession(view.now())

  wire.onClosed((unplugged) => {
    if (unplugged) view.fail('uart-unplugged')
    side.close()
    changed()
  })
  wire.onPlug?.((there) => {
    if (there) {
      side = createSide(again(options, view.now()), parts)
      view.open()
      side.start()
    } else {
      side.close()
      view.away('uart-unplugged')
    }
    changed()
  })
  const voice: Voice = {
    call: (ask) => side.voice.call(ask),
    wake: () => side.voice.wake(),
    sleep: () => side.voice.sleep(),
    say: (line) => side.voice.say(line),
  }
  return {
    voice,
    start: () => side.start(),
    receive: (line: WireLine) => side.receive(line),
    close: () => side.close(),
  }
}

interface ToolboxParts {
  readonly transmit: Transmit
  readonly sender: Sender
  readonly recorder: ReturnType<typeof createRecorder>
  readonly book: LineBook
  readonly view: ReturnType<typeof createSessionView>
  readonly stop: AbortController
  readonly options: SessionOptions
  readonly setBaud: (baud: number) => Promise<void>
}

function toolbox({ transmit, sender, recorder, book, view, stop, options, setBaud }: ToolboxParts) {
  const { order, clock } = options
  const inject = (bytes: Uint8Array) => {
    if (order.role === 'listen') throw new AppError('uart-listens-only', 'A session that listens sends nothing')
    if (view.now().state !== 'open') throw new AppError('uart-not-open', `${order.port} is not open`)
    transmit(bytes, { exact: true, turnId: null })
  }

  function replayFrom(lines: readonly Recorded[], at: number): void {
    const [line, ...rest] = lines
    if (!line || stop.signal.aborted) return
    const cancel = clock.after(Math.min(longestGapMs, Math.max(0, line.at - at)), () => {
      stop.signal.removeEventListener('abort', cancel)
      transmit(new Uint8Array(Buffer.from(line.raw, 'base64')), { exact: true, turnId: null })
      replayFrom(rest, line.at)
    })
    stop.signal.addEventListener('abort', cancel, { once: true })
  }

  return {
    view: () => view.now(),
    newest: book.newest,
    page: book.page,
    send: (text: string, end: boolean) => inject(new TextEncoder().encode(end ? `${text}\r\n` : text)),
    setBaud,
    setFaults(plan: UartFaultPlan) {
      sender.setPlan(plan)
      view.set({ faultPlan: plan })
    },
    record: (on: boolean) => recorder.switchOn(on),
    recording: () => recorder.text(),
    replay(text: string) {
      if (order.role === 'listen') throw new AppError('uart-listens-only', 'A session that listens sends nothing')
      const side = order.role === 'mcu' ? 'mcu' : 'board'
      const lines = parseRecording(text).filter(({ from }) => from === side)
      replayFrom(lines, lines[0]?.at ?? 0)
    },
    runScript: (steps: readonly UartStep[]) =>
      runScript(steps, {
        clock,
        signal: stop.signal,
        onLine: book.onLine,
        send: (text) => inject(new TextEncoder().encode(text)),
      }),
  }
}

function notTheBoard(): AppError {
  return new AppError('uart-not-the-board', 'Only a session that plays the board calls tools')
}
