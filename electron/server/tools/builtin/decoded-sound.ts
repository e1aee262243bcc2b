import { badSound, checkRate, type SoundReader } from './sound-reader.ts'

/** What the wasm decoders give of the bytes so far: one row of samples (−1 … 1) a channel. */
interface Decoded {
  readonly channelData: readonly Float32Array[]
  readonly samplesDecoded: number
  readonly sampleRate: number
}

export interface SoundDecoder {
  readonly decode: (bytes: Uint8Array) => Decoded | Promise<Decoded>
  /** What it still holds after the last byte. */
  readonly flush?: () => Promise<Decoded>
  /** Fed at once: so few that no file makes it write more than a few seconds of sound in one go. */
  readonly chunkBytes: number
}

interface Piece {
  readonly pcm: Int16Array
  readonly rate: number
}

const pieceSeconds = 0.1

/** A whole file through a decoder, piece by piece. Rejects helper-bad-sound, also when there is no sound in it. */
export async function readDecoded(bytes: Uint8Array, decoder: SoundDecoder): Promise<SoundReader> {
  const pieces = decodedPieces(bytes, decoder)
  const first = await pieces.next()
  if (first.done) throw badSound('it holds no sound')
  let waiting: Piece | undefined = first.value
  const { rate } = first.value
  return {
    sampleRate: checkRate(rate),
    async next() {
      const now = waiting ?? (await pieces.next()).value ?? undefined
      waiting = undefined
      // A file whose rate changes in the middle ends there: the session plays one rate a sound.
      return now?.rate === rate ? now.pcm : undefined
    },
  }
}

async function* decodedPieces(bytes: Uint8Array, decoder: SoundDecoder): AsyncGenerator<Piece, void, undefined> {
  const { chunkBytes } = decoder
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes)
      yield* cut(await decoder.decode(bytes.subarray(at, at + chunkBytes)))
    if (decoder.flush) yield* cut(await decoder.flush())
  } catch (cause) {
    throw badSound('its decoder gave up', cause)
  }
}

function* cut({ channelData, samplesDecoded, sampleRate }: Decoded): Generator<Piece, void, undefined> {
  const step = Math.ceil(sampleRate * pieceSeconds)
  for (let at = 0; at < samplesDecoded; at += step)
    yield { pcm: meanOf(channelData, at, Math.min(samplesDecoded, at + step)), rate: sampleRate }
}

/** The mean of the channels in 16-bit steps; a decoder may give a little more than full scale. */
function meanOf(channels: readonly Float32Array[], from: number, to: number): Int16Array {
  const made = new Int16Array(to - from)
  for (let at = from; at < to; at++) {
    let sum = 0
    for (const channel of channels) sum += channel[at] ?? 0
    made[at - from] = Math.max(-32_768, Math.min(32_767, Math.round((sum / channels.length) * 32_767)))
  }
  return made
}
