import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { UartLine } from '../../contract/uart.ts'

export interface LineRing {
  add(line: UartLine): void
  /** Lines before `before` (its seq; null: the newest), the oldest first. Those that fell out of the ring are not there. */
  page(before: number | null, limit: number): Promise<UartLine[]>
  readonly newest: readonly UartLine[]
  /** How many were ever added. */
  readonly added: number
  /** Removes its files. */
  close(): Promise<void>
}

export interface RingLimits {
  readonly inMemory: number
  readonly perFile: number
  readonly files: number
  /** A line may be long: a file that is full of bytes is full. */
  readonly fileBytes: number
}

const usualLimits: RingLimits = { inMemory: 500, perFile: 100_000, files: 10, fileBytes: 128 * 1024 * 1024 }

interface RingFile {
  readonly path: string
  readonly first: number
  /** Where each line begins; the last one says where the next would. */
  readonly offsets: number[]
  readonly stream: WriteStream
}

/**
 * A million lines on disk, the newest in memory (ux.md C12). A disk that takes nothing more costs only old lines: those
 * in memory go on. `dir` is its own and is removed with it. Throws when it cannot be made.
 */
export function createLineRing(dir: string, limits: RingLimits = usualLimits): LineRing {
  const newest: UartLine[] = []
  const files: RingFile[] = []
  let added = 0
  let broken = false
  mkdirSync(dir, { recursive: true, mode: 0o700 })

  function nextFile(): RingFile {
    const path = join(dir, `${added}.jsonl`)
    const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    stream.on('error', () => (broken = true))
    const file = { path, first: added, offsets: [0], stream }
    files.push(file)
    while (files.length > limits.files) drop(files.shift())
    return file
  }

  function drop(file: RingFile | undefined): void {
    if (file) file.stream.end(() => void rm(file.path, { force: true }))
  }

  function write(line: UartLine): void {
    const last = files.at(-1)
    const full = !last || last.offsets.length > limits.perFile || (last.offsets.at(-1) ?? 0) >= limits.fileBytes
    const file = full ? nextFile() : last
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    file.offsets.push((file.offsets.at(-1) ?? 0) + bytes.length)
    file.stream.write(bytes)
  }

  return {
    newest,
    get added() {
      return added
    },
    add(line) {
      newest.push(line)
      if (newest.length > limits.inMemory) newest.shift()
      if (!broken) write(line)
      added += 1
    },
    async page(before, limit) {
      const end = Math.min(before ?? added, added)
      const start = Math.max(0, end - limit)
      const inMemory = added - newest.length
      const kept = newest.slice(Math.max(0, start - inMemory), Math.max(0, end - inMemory))
      const older = broken ? [] : await readOlder(files, start, Math.min(end, inMemory))
      return [...older, ...kept]
    },
    async close() {
      broken = true
      for (const file of files.splice(0)) file.stream.destroy()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function readOlder(files: readonly RingFile[], start: number, end: number): Promise<UartLine[]> {
  const lines: UartLine[] = []
  for (const file of files) {
    const from = Math.max(start, file.first) - file.first
    const to = Math.min(end, file.first + file.offsets.length - 1) - file.first
    if (from >= to) continue
    await flushed(file.stream)
    lines.push(...(await readPart(file, file.offsets[from] ?? 0, file.offsets[to] ?? 0)))
  }
  return lines
}

async function flushed(stream: WriteStream): Promise<void> {
  if (stream.writableLength === 0) return
  await new Promise<void>((resolve) => stream.write('', () => resolve()))
}

async function readPart(file: RingFile, start: number, end: number): Promise<UartLine[]> {
  const handle = await open(file.path, 'r')
  try {
    const bytes = Buffer.alloc(end - start)
    await handle.read(bytes, 0, bytes.length, start)
    const texts = bytes.toString('utf8').split('\n')
    // Our own lines, written above.
    return texts.flatMap((text) => (text === '' ? [] : [JSON.parse(text) as UartLine]))
  } finally {
    await handle.close()
  }
}
