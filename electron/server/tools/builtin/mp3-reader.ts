import { MPEGDecoder } from 'mpg123-decoder'
import { readDecoded } from './decoded-sound.ts'
import type { SoundReader } from './sound-reader.ts'

// The door to mpg123. A hostile file may keep it busy for ever, so it runs in a thread that is ended (sound.worker.ts).

/** MPEG audio, with whatever tags lie before it. Rejects helper-bad-sound. */
export async function readMp3(bytes: Uint8Array): Promise<SoundReader> {
  const decoder = new MPEGDecoder()
  await decoder.ready
  return readDecoded(bytes, { decode: (chunk) => decoder.decode(chunk), chunkBytes: 4096 })
}
