import { createOpusDecoder } from '../../audio/opus.ts'
import { badSound, type PlainReader } from './sound-reader.ts'

const rate = 48_000
const maxPacket = 65_536
/** 120 ms. */
const longestPacket = 5_760

/** Packets of the first stream in an Ogg file (RFC 3533), at most 64 KiB each. Throws helper-bad-sound. */
export function* oggPackets(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let serial: number | undefined
  let held: Uint8Array[] = []
  let size = 0
  for (let at = 0; at + 27 <= bytes.length;) {
    if (view.getUint32(at) !== 0x4f676753) throw badSound('an Ogg page is broken')
    const count = view.getUint8(at + 26)
    const lengths = bytes.subarray(at + 27, at + 27 + count)
    const body = at + 27 + count
    const length = lengths.reduce((sum, part) => sum + part, 0)
    const mine = view.getUint32(at + 14, true)
    serial ??= mine
    let from = body
    for (const part of mine === serial ? lengths : []) {
      held.push(bytes.subarray(from, from + part))
      size += part
      from += part
      if (size > maxPacket) throw badSound('an Ogg packet is too long')
      if (part === 255) continue
      yield held.length === 1 ? (held[0] ?? new Uint8Array()) : joined(held, size)
      held = []
      size = 0
    }
    at = body + length
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const made = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    made.set(part, at)
    at += part.length
  }
  return made
}

/** What the first stream of an Ogg file carries, by its first packet. Throws helper-bad-sound. */
export function oggKind(bytes: Uint8Array): 'opus' | 'vorbis' | 'flac' {
  const head: Uint8Array | undefined = oggPackets(bytes).next().value ?? undefined
  const starts = (text: string): boolean =>
    head !== undefined && String.fromCharCode(...head.subarray(0, text.length)) === text
  if (starts('OpusHead')) return 'opus'
  if (starts('\u0001vorbis')) return 'vorbis'
  if (starts('\u007fFLAC')) return 'flac'
  throw badSound('the Ogg file holds no sound that is known')
}

/** Ogg with Opus inside, one or two channels. Throws helper-bad-sound. */
export function readOgg(bytes: Uint8Array): PlainReader {
  const packets = oggPackets(bytes)
  const head: Uint8Array | undefined = packets.next().value ?? undefined
  if (!head || !isOpusHead(head)) throw badSound('there is no Opus in the Ogg file')
  const channels = head[9] ?? 1
  if (channels < 1 || channels > 2) throw badSound(`${channels} channels`)
  packets.next()
  const decoder = createOpusDecoder({ sampleRate: rate, channels: 1 })
  return {
    sampleRate: rate,
    next() {
      const packet: Uint8Array | undefined = packets.next().value ?? undefined
      if (!packet) {
        decoder.close()
        return undefined
      }
      try {
        return decoder.decode(packet, longestPacket)
      } catch (cause) {
        throw badSound('an Opus packet is broken', cause)
      }
    },
  }
}

const isOpusHead = (packet: Uint8Array): boolean =>
  packet.length >= 19 && String.fromCharCode(...packet.subarray(0, 8)) === 'OpusHead'
