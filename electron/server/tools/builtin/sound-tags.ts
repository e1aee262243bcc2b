export interface SoundTags {
  readonly title: string | undefined
  readonly artist: string | undefined
}

/** Title and artist from ID3v2, ID3v1, WAV LIST INFO or Opus tags in the head (and last 128 bytes) of a file. Never throws. */
export function soundTags(head: Uint8Array, tail: Uint8Array): SoundTags {
  try {
    const start = latin(head.subarray(0, 4))
    if (start.startsWith('ID3')) return id3v2(head)
    if (start === 'RIFF') return riffInfo(head)
    if (start === 'OggS') return opusTags(head)
    return latin(tail.subarray(0, 3)) === 'TAG' ? id3v1(tail) : none
  } catch (error) {
    // Lengths that point outside: a file is listed by its name then.
    if (error instanceof RangeError || error instanceof TypeError) return none
    throw error
  }
}

const none: SoundTags = { title: undefined, artist: undefined }
const latin = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)
/** One line without control characters, at most 200. */
const clean = (text: string | undefined): string | undefined => {
  const line = text
    ?.replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 200)
  return line === '' ? undefined : line
}

function id3v2(bytes: Uint8Array): SoundTags {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const major = bytes[3] ?? 0
  const end = Math.min(bytes.length, 10 + syncSafe(view.getUint32(6)))
  const found = new Map<string, string>()
  for (let at = 10; at + 10 < end && found.size < 2;) {
    const name = latin(bytes.subarray(at, at + 4))
    const size = major >= 4 ? syncSafe(view.getUint32(at + 4)) : view.getUint32(at + 4)
    if (!/^[A-Z0-9]{4}$/.test(name)) break
    if (name === 'TIT2' || name === 'TPE1')
      found.set(name, id3Text(bytes.subarray(at + 10, Math.min(end, at + 10 + size))))
    at += 10 + size
  }
  return { title: clean(found.get('TIT2')), artist: clean(found.get('TPE1')) }
}

const syncSafe = (value: number): number =>
  ((value >>> 24) & 0x7f) * 0x200000 + ((value >>> 16) & 0x7f) * 0x4000 + ((value >>> 8) & 0x7f) * 0x80 + (value & 0x7f)

function id3Text(bytes: Uint8Array): string {
  const names = ['latin1', 'utf-16', 'utf-16be', 'utf-8']
  return new TextDecoder(names[bytes[0] ?? 0] ?? 'latin1').decode(bytes.subarray(1))
}

function id3v1(tail: Uint8Array): SoundTags {
  return { title: clean(latin(tail.subarray(3, 33))), artist: clean(latin(tail.subarray(33, 63))) }
}

function riffInfo(bytes: Uint8Array): SoundTags {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = new Map<string, string>()
  for (let at = 12; at + 8 <= bytes.length;) {
    const isInfo = latin(bytes.subarray(at, at + 4)) === 'LIST' && latin(bytes.subarray(at + 8, at + 12)) === 'INFO'
    const length = view.getUint32(at + 4, true)
    if (!isInfo && ['INAM', 'IART'].includes(latin(bytes.subarray(at, at + 4))))
      found.set(latin(bytes.subarray(at, at + 4)), new TextDecoder().decode(bytes.subarray(at + 8, at + 8 + length)))
    at += isInfo ? 12 : 8 + length + (length % 2)
  }
  return { title: clean(found.get('INAM')), artist: clean(found.get('IART')) }
}

function opusTags(bytes: Uint8Array): SoundTags {
  const at = latin(bytes).indexOf('OpusTags')
  if (at < 0) return none
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let from = at + 12 + view.getUint32(at + 8, true)
  const count = Math.min(100, view.getUint32(from, true))
  from += 4
  const found = new Map<string, string>()
  for (let n = 0; n < count && from + 4 <= bytes.length; n++) {
    const length = view.getUint32(from, true)
    const [name = '', value] = new TextDecoder().decode(bytes.subarray(from + 4, from + 4 + length)).split('=', 2)
    if (value !== undefined) found.set(name.toUpperCase(), value)
    from += 4 + length
  }
  return { title: clean(found.get('TITLE')), artist: clean(found.get('ARTIST')) }
}
