import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { readDecoded } from './decoded-sound.ts'
import type { SoundReader } from './sound-reader.ts'

// The door to libvorbis; in a thread, as the MP3 decoder.

/** Ogg Vorbis. Rejects helper-bad-sound. */
export async function readVorbis(bytes: Uint8Array): Promise<SoundReader> {
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  return readDecoded(bytes, {
    decode: (chunk) => decoder.decode(chunk),
    flush: () => decoder.flush(),
    chunkBytes: 4096,
  })
}
