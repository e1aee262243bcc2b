import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../base/app-error.ts'

export const sectorBytes = 0x1000
const pageBytes = 0x10000

export interface FlashChange {
  readonly event: 'write' | 'erase'
  readonly offset: number
  readonly size: number
}

/**
 * NOR flash: erasing makes sectors FF, writing only clears bits. Offsets in bytes; what lies past the end is ignored
 * by `write` and `erase` and read as nothing.
 */
export interface FlashArray {
  readonly size: number
  /** A view that follows later writes: copy it to keep it. */
  read(offset: number, length: number): Uint8Array
  write(offset: number, bytes: Uint8Array): void
  /** Whole sectors that touch the range. */
  erase(offset: number, length: number): void
  hash(name: 'md5' | 'sha256', offset: number, length: number): Uint8Array
  /** Called for changes of content only, in runs of changed sectors. */
  onChange(listener: (change: FlashChange) => void): void
  close(): void
}

/** `stateDir`: the flash lives in `flash.bin` there, which always has exactly `size` bytes and holds every finished write. */
export function createFlashArray(size: number, stateDir?: string): FlashArray {
  const file = stateDir === undefined ? undefined : openFlashFile(stateDir, size)
  const content = file?.content ?? new Uint8Array(size).fill(0xff)
  const listeners: ((change: FlashChange) => void)[] = []
  const blank = new Uint8Array(pageBytes).fill(0xff)

  const isBlank = (start: number, end: number): boolean => {
    for (let at = start; at < end; at += pageBytes) {
      const stop = Math.min(end, at + pageBytes)
      if (Buffer.compare(content.subarray(at, stop), blank.subarray(0, stop - at)) !== 0) return false
    }
    return true
  }

  /** Changes the range sector by sector, and tells runs of sectors in which something changed. */
  function apply(event: 'write' | 'erase', range: Range, change: Change): void {
    for (const { start, end } of changedRuns(range, change)) {
      file?.save(content, start, end)
      for (const listener of listeners) listener({ event, offset: start, size: end - start })
    }
  }

  return {
    size,
    read: (offset, length) => content.subarray(Math.min(offset, size), Math.min(offset + length, size)),
    write(offset, bytes) {
      if (offset >= size) return
      apply('write', { start: offset, end: Math.min(size, offset + bytes.length) }, (start, end) => {
        const part = bytes.subarray(start - offset, end - offset)
        if (Buffer.compare(part, blank.subarray(0, part.length)) === 0) return false
        if (isBlank(start, end)) {
          content.set(part, start)
          return true
        }
        return clearBits(content.subarray(start, end), part)
      })
    },
    erase(offset, length) {
      if (offset >= size || length <= 0) return
      const start = offset - (offset % sectorBytes)
      const end = Math.min(size, Math.ceil((offset + length) / sectorBytes) * sectorBytes)
      apply('erase', { start, end }, (from, to) => {
        if (isBlank(from, to)) return false
        content.fill(0xff, from, to)
        return true
      })
    },
    hash(name, offset, length) {
      const hash: Hash = createHash(name)
      hash.update(content.subarray(Math.min(offset, size), Math.min(offset + length, size)))
      return new Uint8Array(hash.digest())
    },
    onChange: (listener) => void listeners.push(listener),
    close: () => file?.close(),
  }
}

type Change = (start: number, end: number) => boolean

interface Range {
  readonly start: number
  readonly end: number
}

function changedRuns(range: Range, change: Change): readonly Range[] {
  const runs: { start: number; end: number }[] = []
  for (let at = range.start; at < range.end;) {
    const end = Math.min(range.end, at - (at % sectorBytes) + sectorBytes)
    const last = runs.at(-1)
    if (change(at, end)) {
      if (last?.end === at) last.end = end
      else runs.push({ start: at, end })
    }
    at = end
  }
  return runs
}

function clearBits(target: Uint8Array, bytes: Uint8Array): boolean {
  let changed = false
  for (let i = 0; i < bytes.length; i++) {
    const before = target[i] ?? 0
    const after = before & (bytes[i] ?? 0)
    if (after !== before) {
      target[i] = after
      changed = true
    }
  }
  return changed
}

interface FlashFile {
  readonly content: Uint8Array
  save(content: Uint8Array, start: number, end: number): void
  close(): void
}

function openFlashFile(stateDir: string, size: number): FlashFile {
  const path = join(stateDir, 'flash.bin')
  try {
    mkdirSync(stateDir, { recursive: true })
    if (!existsSync(path)) makeBlankFile(path, size)
    const found = statSync(path).size
    if (found !== size) {
      throw new AppError(
        'chip-bad-state',
        `${path} holds a flash of ${found} bytes, not ${size}: give the matching --flash size or another --state`,
      )
    }
    const descriptor = openSync(path, 'r+')
    const content = new Uint8Array(size)
    for (let at = 0; at < size;) {
      const got = readSync(descriptor, content, at, size - at, at)
      if (got === 0) throw new AppError('chip-bad-state', `${path} became shorter while it was read`)
      at += got
    }
    return {
      content,
      save(bytes, start, end) {
        for (let at = start; at < end;) at += writeSync(descriptor, bytes, at, end - at, at)
      },
      close: () => closeSync(descriptor),
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('chip-bad-state', `The flash file ${path} cannot be used`, { cause })
  }
}

/** Made whole under another name first: a reader never sees a flash that is too short. */
function makeBlankFile(path: string, size: number): void {
  const draft = `${path}.${process.pid}.new`
  const descriptor = openSync(draft, 'w', 0o600)
  try {
    const blank = new Uint8Array(Math.min(size, 1 << 20)).fill(0xff)
    for (let at = 0; at < size;) at += writeSync(descriptor, blank, 0, Math.min(blank.length, size - at), at)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, path)
}

/** A flash chip that does not answer: everything reads FF, nothing is kept. */
export function createDeadFlash(size: number): FlashArray {
  return { ...createFlashArray(size), write: () => undefined, erase: () => undefined }
}
