import { findBootText } from './rom-protocol.ts'
import type { LaneFailure } from './lane-machine.ts'

const maxLine = 1000
const keptText = 16 * 1024

/** Text of a running board: lines for people, the newest 16 kB to judge how it boots. */
export interface BootWatch {
  push(bytes: Uint8Array): void
  text(): string
  /** Milliseconds (performance.now) of the last byte. */
  readonly lastAt: number
  /** Gives out a line that has no end yet. */
  flush(): void
}

export function createBootWatch(onLine: (line: string) => void): BootWatch {
  const decoder = new TextDecoder()
  let text = ''
  let line = ''
  let lastAt = performance.now()
  const emit = () => {
    if (line.trim() !== '') onLine(line)
    line = ''
  }
  return {
    push(bytes) {
      lastAt = performance.now()
      const more = decoder.decode(bytes, { stream: true })
      text = (text + more).slice(-keptText)
      for (const part of more.split(/(\r?\n)/)) {
        if (part.endsWith('\n')) emit()
        else line = (line + part).slice(0, maxLine)
      }
    },
    text: () => text,
    get lastAt() {
      return lastAt
    },
    flush: emit,
  }
}

const troubles = [
  /invalid header: 0x/,
  /SHA-256 comparison failed|Image hash failed/,
  /No bootable app partitions|boot: no valid|Failed to verify/i,
  /Detected size\(\d+k\) smaller than the size in the binary image header/,
  /abort\(\) was called at PC|Guru Meditation Error/,
]

/**
 * How a board started, by its text. Null when it looks well; `flash-not-rebooted` when there is no boot text or it says
 * download mode; `flash-boot-failed` when the firmware stops or starts over and over.
 */
export function judgeBoot(text: string): LaneFailure | null {
  const boot = findBootText(text)
  if (!boot)
    return { code: 'flash-not-rebooted', message: 'No boot text came after the reset; press RESET on the board' }
  const code = `0x${boot.bootCode.toString(16)}`
  // Strap bit 3 is GPIO0: low means download mode.
  if ((boot.bootCode & 8) === 0) {
    return { code: 'flash-not-rebooted', message: `The board is in download mode after the reset (boot code ${code})` }
  }
  const trouble = troubles.map((pattern) => pattern.exec(text)?.[0]).find((match) => match !== undefined)
  if (trouble !== undefined) return { code: 'flash-boot-failed', message: `The firmware does not start: "${trouble}"` }
  const boots = text.match(/rst:0x[0-9a-f]+ \(/gi)?.length ?? 0
  if (boots > 2) return { code: 'flash-boot-failed', message: `The board restarts over and over (${boot.reason})` }
  return null
}
