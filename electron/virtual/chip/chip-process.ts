import { toAppError } from '../../base/app-error.ts'
import { connectParent } from '../../base/parent-port.ts'
import { type RunningBoard, startBoardProgram } from '../board/board-program.ts'
import { parseFlashSize, parseMac } from './chip-options.ts'
import { createVirtualChip } from './chip.ts'
import { parseFault } from './faults.ts'
import { openChipOnPty, type PtyChip, type PtyEvent } from './pty-chip.ts'

/** The first message of the parent. Texts are as on the command line. */
export interface ChipProcessOptions {
  readonly mac?: string
  readonly flash?: string
  readonly stateDir?: string
  readonly faults?: readonly string[]
  readonly bootToBoard?: boolean
}

export type ChipProcessRequest =
  | { readonly type: 'start'; readonly options: ChipProcessOptions }
  | { readonly type: 'reset' | 'download' | 'unplug' | 'plug' | 'stop' }
  /** The microphone of the booted board hears 16 kHz mono samples; without a board nothing happens. */
  | { readonly type: 'say'; readonly pcm: Int16Array; readonly said: string }

export type ChipProcessReply =
  | { readonly type: 'ready'; readonly port: string }
  | { readonly type: 'event'; readonly event: PtyEvent }
  /** What the board's speaker plays: mono 16-bit samples. */
  | { readonly type: 'sound'; readonly pcm: Int16Array; readonly sampleRate: number }
  /** The chip could not be made (`chip-no-pty` on systems without pseudo-terminals), or broke; the process ends. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string }

/** A virtual chip on a PTY in a process of its own (entry `chip` of base/launcher.ts). */
function runChip(post: (reply: ChipProcessReply) => void): (request: ChipProcessRequest) => void {
  let running: { chip: ReturnType<typeof createVirtualChip>; port: PtyChip } | undefined
  let board: RunningBoard | undefined
  const tell = (event: PtyEvent) => post({ type: 'event', event })

  function start(options: ChipProcessOptions): void {
    if (running) return
    const chip = createVirtualChip({
      ...(options.mac === undefined ? {} : { mac: parseMac(options.mac) }),
      ...(options.flash === undefined ? {} : { flashBytes: parseFlashSize(options.flash) }),
      ...(options.stateDir === undefined ? {} : { stateDir: options.stateDir }),
      faults: (options.faults ?? []).map(parseFault),
      startIn: 'download',
      ...(options.bootToBoard
        ? {
            boardProgram: {
              start: (context) =>
                (board = startBoardProgram(context, {
                  onSound: (pcm, sampleRate) => post({ type: 'sound', pcm, sampleRate }),
                })),
            },
          }
        : {}),
      onEvent: tell,
    })
    running = { chip, port: openChipOnPty(chip, tell) }
    post({ type: 'ready', port: running.port.port })
  }

  return (request) => {
    try {
      if (request.type === 'start') start(request.options)
      else if (request.type === 'reset') running?.chip.pressReset()
      else if (request.type === 'download') running?.chip.pressReset(true)
      else if (request.type === 'unplug') running?.port.unplug()
      else if (request.type === 'plug') running?.port.plug()
      // What came of it is told by the server's turn; a board that left in between is no failure of the chip.
      else if (request.type === 'say') board?.say(request.pcm, request.said).catch(() => undefined)
      else void Promise.resolve(running?.port.close()).finally(() => process.exit(0))
    } catch (error) {
      const { code, message } = toAppError(error)
      post({ type: 'failed', code, message })
      process.exitCode = 1
      setImmediate(() => process.disconnect())
    }
  }
}

const parent = connectParent()
if (parent) {
  const handle = runChip((reply) => parent.post(reply))
  // The parent is our own build: its messages are those of ChipProcessRequest.
  parent.onMessage((message) => handle(message as ChipProcessRequest))
} else process.exitCode = 2
