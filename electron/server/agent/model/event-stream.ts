import { AppError } from '../../../base/app-error.ts'

/** One line holds one piece of an answer: a few hundred characters. */
const longestLine = 256 * 1024
/** An answer that would be read out for hours. */
const longestStream = 4 * 1024 * 1024

/**
 * The data of each event of a `text/event-stream` (HTML standard, 9.2.6), in order; events without data are left out.
 * Lines end with LF, CRLF or CR, at any border of the chunks. What follows the last blank line is an event too: some
 * servers end without one. Rejects model-flooded beyond 256 Ki characters a line or event, or 4 MiB in all.
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  const lines = createLineCutter()
  const events = createEventGatherer()
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > longestStream) throw new AppError('model-flooded', 'The answer has more than 4 MiB')
    for (const line of lines.push(decoder.decode(chunk, { stream: true }))) yield* events.take(line)
  }
  const rest = lines.push(decoder.decode())
  for (const line of [...rest, lines.rest(), '']) yield* events.take(line)
  return undefined
}

function createLineCutter() {
  let open = ''
  /** The last character was a CR: a LF that follows belongs to it. */
  let afterReturn = false

  return {
    push(text: string): string[] {
      if (text === '') return []
      const fresh = afterReturn && text.startsWith('\n') ? text.slice(1) : text
      afterReturn = text.endsWith('\r')
      const parts = fresh.split(/\r\n|\n|\r/)
      parts[0] = open + (parts[0] ?? '')
      open = parts.pop() ?? ''
      if (open.length > longestLine || parts.some((line) => line.length > longestLine)) throw tooLong()
      return parts
    },
    rest: () => open,
  }
}

function createEventGatherer() {
  let data: string[] = []
  let size = 0

  return {
    /** The data of the event that this line ends, if it does. */
    take(line: string): string[] {
      if (line === '') {
        const event = data.join('\n')
        const isThere = data.length > 0
        data = []
        size = 0
        return isThere ? [event] : []
      }
      const [, field = '', value = ''] = /^([^:]*)(?:: ?)?([^]*)$/.exec(line) ?? []
      if (field !== 'data') return []
      size += value.length + 1
      if (size > longestLine) throw tooLong()
      data.push(value)
      return []
    },
  }
}

function tooLong(): AppError {
  return new AppError('model-flooded', `One event has more than ${longestLine / 1024} Ki characters`)
}
