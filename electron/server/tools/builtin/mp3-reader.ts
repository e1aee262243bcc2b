import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { badSound, checkRate, mono, type SoundReader } from './sound-reader.ts'

// The door to minimp3. Its wasm imports nothing; a hostile file may keep it busy for ever, so it runs in a thread that
// is ended (sound.worker.ts).

interface Decoder {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly decoder_init: () => void
  readonly decoder_set_mp3_data_size: (bytes: number) => void
  readonly decoder_mp3_data_offset: () => number
  readonly decoder_decode: (seconds: number) => void
  readonly decoder_pcm_data_offset: () => number
  readonly decode_results_num_samples: () => number
  readonly decode_results_num_channels: () => number
  readonly decode_results_sampling_rate: () => number
}
/** The little of WebAssembly that is used here: the types of Node have none. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object
    readonly Instance: new (program: object, imports: object) => { readonly exports: Decoder }
  }
}

const pieceSeconds = 0.15
/** The first piece of some files is an empty header frame. */
const maxEmpty = 20

export function readMp3(bytes: Uint8Array): SoundReader {
  const file = createRequire(import.meta.url).resolve('minimp3-wasm/dist/decoder.opt.wasm')
  try {
    const { exports: decoder } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), {})
    decoder.decoder_init()
    decoder.decoder_set_mp3_data_size(bytes.length)
    new Uint8Array(decoder.memory.buffer, decoder.decoder_mp3_data_offset(), bytes.length).set(bytes)
    const first = piece(decoder)
    if (!first) throw badSound('it holds no MP3 frames')
    return reader(decoder, first)
  } catch (cause) {
    throw cause instanceof Error && 'code' in cause ? cause : badSound('the MP3 decoder gave up', cause)
  }
}

interface Piece {
  readonly pcm: Int16Array
  readonly rate: number
}

function piece(decoder: Decoder): Piece | undefined {
  for (let tries = 0; tries < maxEmpty; tries++) {
    decoder.decoder_decode(pieceSeconds)
    const samples = decoder.decode_results_num_samples()
    if (samples <= 0) continue
    const channels = decoder.decode_results_num_channels()
    if (channels < 1 || channels > 2) throw badSound(`${channels} channels`)
    const pcm = new Int16Array(decoder.memory.buffer, decoder.decoder_pcm_data_offset(), samples)
    return { pcm: mono(pcm, channels), rate: checkRate(decoder.decode_results_sampling_rate()) }
  }
  return undefined
}

function reader(decoder: Decoder, first: Piece): SoundReader {
  let waiting: Piece | undefined = first
  return {
    sampleRate: first.rate,
    next() {
      const now = waiting ?? piece(decoder)
      waiting = undefined
      // A file whose rate changes in the middle ends there: the session plays one rate a sound.
      return now?.rate === first.rate ? now.pcm : undefined
    },
  }
}
