import { createReadStream } from 'node:fs'
import { AppError, isAppError } from '../base/app-error.ts'

/** Standard input to its end, as UTF-8, without one final newline (contracts §1: secrets). */
export async function readAll(stdin: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw new AppError('server-bad-usage', `It holds more than ${maxBytes} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

/** A file, or standard input for "-", as UTF-8. 'server-bad-usage' when it cannot be read or is larger than `maxBytes`. */
export async function readText(file: string, stdin: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  const stream = file === '-' ? stdin : createReadStream(file)
  try {
    return await readAll(stream, maxBytes)
  } catch (cause) {
    if (isAppError(cause, 'server-bad-usage')) throw cause
    throw new AppError('server-bad-usage', `${file} cannot be read`, { cause })
  }
}
