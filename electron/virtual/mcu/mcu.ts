import type { Clock } from '../../base/clock.ts'
import type { WireLine } from '../../contract/uart-bytes.ts'
import {
  type BoardLine,
  type McuCommand,
  mcuLine,
  type McuTool,
  readBoardLine,
  toolsNull,
} from '../../contract/uart-wire.ts'

/** What a microcontroller can do: its tools, and the text that each call is answered with. */
export interface McuProgram {
  readonly tools: readonly McuTool[]
  /** The `status` of the answer: "true" and "false" for done and not done or for on and off, else the value as text. */
  call(name: string, args: Readonly<Record<string, unknown>>): string
}

/** How it misbehaves. `spaces`: prints its JSON formatted; `wrongType`: answers with a value that is no text. */
export interface McuFaults {
  readonly delayMs: number
  readonly silent: boolean
  readonly noLineEnd: boolean
  readonly spaces: boolean
  readonly wrongType: boolean
}

export const noFaults: McuFaults = { delayMs: 0, silent: false, noLineEnd: false, spaces: false, wrongType: false }

export type McuEvent =
  | { readonly event: 'heard'; readonly line: string }
  | { readonly event: 'call'; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly event: 'answer'; readonly name: string; readonly status: string }
  | { readonly event: 'subtitle'; readonly text: string; readonly emoji: string; readonly emotion: string }
  | { readonly event: 'state'; readonly state: string }
  | { readonly event: 'error'; readonly message: string }
  | { readonly event: 'baud'; readonly baud: number }

export interface McuOptions {
  readonly program: McuProgram
  readonly clock: Clock
  readonly send: (text: string) => void
  /** Once what was sent before has left at the old speed. */
  readonly setBaud: (baud: number) => void
  readonly onEvent: (event: McuEvent) => void
}

/** The microcontroller's side of UART-MCP (uart-mcp.md): declares its tools when the board has none, answers calls. */
export interface VirtualMcu {
  receive(line: WireLine): void
  command(command: McuCommand): void
  sendTools(): void
  setFaults(faults: Partial<McuFaults>): void
  close(): void
}

export function createMcu({ program, clock, send: write, onEvent, setBaud }: McuOptions): VirtualMcu {
  let faults = noFaults
  let wantedBaud: number | undefined
  const answers = new Set<() => void>()

  function send(command: McuCommand): void {
    write(spoilt(mcuLine(command), faults))
  }

  const sendTools = () => send({ type: 'mcp-tool', tools: program.tools })

  function answer({ name, arguments: args }: Extract<BoardLine, { type: 'call' }>): void {
    onEvent({ event: 'call', name, arguments: args })
    const status = program.call(name, args)
    if (faults.silent) return
    const cancel = clock.after(faults.delayMs, () => {
      answers.delete(cancel)
      onEvent({ event: 'answer', name, status })
      send({ type: 'mcp-responsive', status })
    })
    answers.add(cancel)
  }

  /** The board confirms a new speed at the old one; both switch after that (uart-mcp.md §2). */
  function confirmed(): void {
    if (wantedBaud === undefined) return
    setBaud(wantedBaud)
    onEvent({ event: 'baud', baud: wantedBaud })
    wantedBaud = undefined
  }

  function hear(line: BoardLine): void {
    if (line.type === 'call') return answer(line)
    if (line.type === 'ok') return confirmed()
    if (line.type === 'error') wantedBaud = undefined
    const event = eventOf(line)
    if (event) onEvent(event)
    if (line.type === 'error' && line.message === toolsNull) sendTools()
  }

  return {
    receive(wireLine) {
      onEvent({ event: 'heard', line: wireLine.text })
      const line = readBoardLine(wireLine.text)
      if (line) hear(line)
    },
    command(command) {
      if (command.type === 'baudrate-set') wantedBaud = command.baud
      send(command)
    },
    sendTools,
    setFaults: (change) => void (faults = { ...faults, ...change }),
    close() {
      for (const cancel of answers) cancel()
      answers.clear()
    },
  }
}

function eventOf(line: BoardLine): McuEvent | undefined {
  if (line.type === 'error') return { event: 'error', message: line.message }
  if (line.type === 'state') return { event: 'state', state: line.state }
  if (line.type !== 'subtitle') return undefined
  return { event: 'subtitle', text: line.text, emoji: line.emoji, emotion: line.emotion }
}

function spoilt(line: string, faults: McuFaults): string {
  let text = line
  if (faults.spaces) text = text.replaceAll('":', '": ')
  if (faults.wrongType) text = text.replace(/"status":"(true|false|-?\d+)"/, '"status":$1')
  return faults.noLineEnd ? text.replace('\r\n', '') : text
}
