import { FLACDecoder } from '@wasm-audio-decoders/flac'
import { readDecoded } from './decoded-sound.ts'
import type { SoundReader } from './sound-reader.ts'

// The door to libFLAC; in a thread, as the MP3 decoder.

/** FLAC by itself or in Ogg. Rejects helper-bad-sound. */
export async function readFlac(bytes: Uint8Array): Promise<SoundReader> {
  const decoder = new FLACDecoder()
  await decoder.ready
  // A frame of silence is a second or more in fourteen bytes.
  const chunkBytes = 1024
  return readDecoded(bytes, { decode: (chunk) => decoder.decode(chunk), flush: () => decoder.flush(), chunkBytes })
}
