import { AppError } from '../base/app-error.ts'

/** Standard input to its end, as UTF-8, without one final newline (contracts §1: secrets). */
export async function readAll(stdin: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw new AppError('server-bad-usage', `Standard input holds more than ${maxBytes} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
