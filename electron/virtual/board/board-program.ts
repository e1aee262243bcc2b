import type { BoardContext } from '../chip/board-program.ts'
import type { BoardEvent, BoardTurn } from './board-events.ts'
import { derToPem } from './pem.ts'
import { createVirtualBoard, type VirtualBoard, type VirtualBoardOptions } from './virtual-board.ts'

export interface RunningBoard {
  readonly board: VirtualBoard
  say(pcm16k: Int16Array, said: string): Promise<BoardTurn>
  stop(): Promise<void>
}

/**
 * The firmware of a booted virtual chip: an iotta board that uses only what is in its flash (architecture D8).
 * Its console lines read like those of a real board.
 */
export function startBoardProgram(
  context: BoardContext,
  extra: Pick<VirtualBoardOptions, 'onEvent' | 'onStateChanged' | 'onSound' | 'telemetrySeconds'> = {},
): RunningBoard {
  const { settings } = context
  const print = (line: string) => context.print(line)
  const network = settings.wifi[0]
  print(
    network
      ? `I (412) wifi: joined "${network.ssid}", ip 192.0.2.10`
      : 'W (412) wifi: no network in nvs, using the host link',
  )
  print(`I (640) roost: server ${settings.server}`)
  const board = createVirtualBoard({
    ...extra,
    firmware: context.firmware,
    server: { url: settings.server, ...(settings.ca ? { ca: derToPem(settings.ca) } : {}) },
    deviceId: settings.deviceId,
    ...(settings.claim === undefined ? {} : { claim: settings.claim }),
    ...(settings.token === undefined ? {} : { token: settings.token }),
    onToken: (token) => context.saveNvs('iotta', 'token', token),
    onEvent: (event) => {
      const line = consoleLine(event)
      if (line) print(line)
      extra.onEvent?.(event)
    },
  })
  return { board, say: (pcm, said) => board.say(pcm, said), stop: () => board.stop() }
}

/** Never a token, a claim or what was said. */
function consoleLine(event: BoardEvent): string | undefined {
  switch (event.event) {
    case 'provisioned':
      return `I (1210) iotta: provisioned, token until ${event.expires}`
    case 'pending':
      return `W (1210) iotta: waiting for approval, code ${event.code}`
    case 'refused':
      return `E (1210) iotta: refused, ${event.status} ${event.code}`
    case 'unreachable':
      return `E (1210) iotta: server not reached, ${event.message}`
    case 'session':
      return `I (1388) iotta: session ${event.session} open`
    case 'tools':
      return 'I (1402) iotta: tool channel open'
    case 'closed':
      return `W (2000) iotta: ${event.channel} channel closed, ${event.code} ${event.reason}`
    case 'control':
      return `I (2100) iotta: control ${event.action}`
    case 'tool':
      return `I (2200) tool: ${event.name}`
    case 'error':
      return `W (2300) iotta: server says ${event.code}`
    case 'state':
    case 'vad':
    case 'stt':
    case 'tts':
    case 'telemetry':
    case 'turn':
      return undefined
  }
}
