import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { createInflate, deflate } from 'node:zlib'
import type { Region } from './plan.ts'
import { checksum, encodeRequest, encodeSlip, op, words } from './rom-protocol.ts'

const deflateAsync = promisify(deflate)

/** Small pieces keep a restart cheap and bound what one block can inflate to (flashing.md §11 row 3). */
const pieceSize = 1024 * 1024

export interface Block {
  /** FLASH_DEFL_DATA with checksum and SLIP, made once for all lanes. */
  readonly frame: Uint8Array
  /** Plain bytes that this block inflates to: the board's time to write it. */
  readonly plainBytes: number
}

/** One FLASH_DEFL sequence. */
export interface CompressedPiece {
  readonly offset: number
  /** Plain bytes, a multiple of 4. */
  readonly size: number
  readonly blocks: readonly Block[]
  readonly md5: string
}

export interface Compressor {
  /** Pieces of at most 1 MiB, in order. What lanes share (same source, range and block size) is made once. */
  compress(region: Region, blockSize: number): Promise<CompressedPiece[]>
}

type Prepared = Omit<CompressedPiece, 'offset'>

export function createCompressor(): Compressor {
  // Held by the image bytes: when no lane has them any more, the pieces go too.
  const made = new WeakMap<Uint8Array, Map<string, Promise<Prepared>>>()

  function prepared(source: Uint8Array, range: { start: number; end: number }, blockSize: number): Promise<Prepared> {
    const bySource = made.get(source) ?? new Map<string, Promise<Prepared>>()
    made.set(source, bySource)
    const key = `${String(range.start)}-${String(range.end)}-${String(blockSize)}`
    const known = bySource.get(key)
    if (known) return known
    const fresh = prepare(source.subarray(range.start, range.end), blockSize)
    bySource.set(key, fresh)
    return fresh
  }

  return {
    async compress(region, blockSize) {
      const pieces: CompressedPiece[] = []
      for (let start = region.start; start < region.end; start += pieceSize) {
        const range = { start, end: Math.min(start + pieceSize, region.end) }
        const piece = await prepared(region.source, range, blockSize)
        pieces.push({ ...piece, offset: region.offset + start - region.start })
      }
      return pieces
    },
  }
}

/** zlib works in its own thread pool; the loop sees only the slicing. */
async function prepare(plain: Uint8Array, blockSize: number): Promise<Prepared> {
  const padded = Buffer.alloc(Math.ceil(plain.length / 4) * 4, 0xff)
  padded.set(plain)
  const packed = await deflateAsync(padded, { level: 9 })
  const slices = Array.from({ length: Math.ceil(packed.length / blockSize) }, (_, index) =>
    packed.subarray(index * blockSize, (index + 1) * blockSize),
  )
  return {
    size: padded.length,
    blocks: await measure(slices),
    md5: createHash('md5').update(padded).digest('hex'),
  }
}

async function measure(slices: readonly Uint8Array[]): Promise<Block[]> {
  const inflate = createInflate()
  let plainBytes = 0
  inflate.on('data', (chunk: Uint8Array) => (plainBytes += chunk.length))
  const blocks: Block[] = []
  for (const bytes of slices) {
    const before = plainBytes
    await new Promise<void>((resolve, reject) => {
      inflate.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
    const head = words(bytes.length, blocks.length, 0, 0)
    const frame = encodeSlip(encodeRequest(op.deflData, [head, bytes], checksum(bytes)))
    blocks.push({ frame, plainBytes: plainBytes - before })
  }
  inflate.end()
  await once(inflate, 'end')
  return blocks
}
