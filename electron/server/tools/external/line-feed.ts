import { createRateGuard } from '../../../base/rate-guard.ts'

/** Largest message of an outside server, bytes. */
export const maxMessageBytes = 1024 * 1024
const maxMessagesASecond = 2_000
const maxBytesInWindow = 32 * 1024 * 1024
const windowMs = 10_000

export interface LineFeed {
  /** The complete lines that the chunk brings; undefined once a limit is broken: the sender is to be cut off. */
  read(chunk: Uint8Array, now: number): string[] | undefined
}

/** Bytes into lines, within what an honest program would ever write (T11: the far end is not trusted with our memory). */
export function createLineFeed(): LineFeed {
  const messages = createRateGuard({ limit: maxMessagesASecond, windowMs: 1_000 })
  let held: Buffer[] = []
  let heldBytes = 0
  let window = { since: Number.NEGATIVE_INFINITY, bytes: 0 }
  let broken = false

  function take(chunk: Uint8Array, now: number): boolean {
    if (now - window.since >= windowMs) window = { since: now, bytes: 0 }
    window.bytes += chunk.length
    return window.bytes <= maxBytesInWindow
  }

  return {
    read(chunk, now) {
      if (broken || !take(chunk, now)) {
        broken = true
        held = []
        return undefined
      }
      const lines: string[] = []
      let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
        broken ||= heldBytes + end > maxMessageBytes || messages.count(now)
        if (broken) break
        lines.push(
          Buffer.concat([...held, rest.subarray(0, end)])
            .toString('utf8')
            .replace(/\r$/, ''),
        )
        held = []
        heldBytes = 0
        rest = rest.subarray(end + 1)
      }
      if (rest.length > 0) held.push(rest)
      heldBytes += rest.length
      broken ||= heldBytes > maxMessageBytes
      if (!broken) return lines
      held = []
      return undefined
    },
  }
}
