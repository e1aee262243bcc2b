import { z } from 'zod'
import { AppError } from '../../base/app-error.ts'
import { type UartLine, UartSide } from '../../contract/uart.ts'

const Recorded = z.object({ at: z.number().min(0), from: UartSide, raw: z.base64().max(65_536) })
export type Recorded = z.infer<typeof Recorded>

const mostLines = 100_000
const mostBytes = 4_500_000

export interface Recorder {
  readonly on: boolean
  /** A new recording starts empty. */
  switchOn(on: boolean): void
  add(line: UartLine): void
  /** JSON lines; `at`: ms since its first line. */
  text(): string
}

/** Bounded: what no longer fits is not recorded, so that the file can be replayed. */
export function createRecorder(): Recorder {
  let on = false
  let lines: string[] = []
  let bytes = 0
  let startedAt: number | undefined
  return {
    get on() {
      return on
    },
    switchOn(wanted) {
      if (wanted && !on) {
        lines = []
        bytes = 0
        startedAt = undefined
      }
      on = wanted
    },
    add(line) {
      if (!on || lines.length >= mostLines) return
      startedAt ??= line.at
      const text = JSON.stringify({ at: Math.round(line.at - startedAt), from: line.from, raw: line.raw })
      if (bytes + text.length > mostBytes) return
      bytes += text.length + 1
      lines.push(text)
    },
    text: () => lines.map((line) => `${line}\n`).join(''),
  }
}

/** Throws `uart-bad-recording` with the line that is none. */
export function parseRecording(text: string): Recorded[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) throw new AppError('uart-bad-recording', 'The recording is empty')
  if (lines.length > mostLines) throw new AppError('uart-bad-recording', `More than ${mostLines} lines`)
  return lines.map((line, index) => {
    const recorded = Recorded.safeParse(asJson(line)).data
    if (!recorded) throw new AppError('uart-bad-recording', `Line ${index + 1} is no recorded line`)
    return recorded
  })
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
