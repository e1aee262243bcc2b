import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { isAppError } from '../../../base/app-error.ts'
import { createOpusEncoder } from '../../audio/opus.ts'
import { parseLyrics } from './lyrics.ts'
import { indexMusic, searchMusic } from './music-index.ts'
import { readOgg } from './ogg-reader.ts'
import { openSound } from './sound-file.ts'
import { readWav } from './sound-reader.ts'
import { soundTags } from './sound-tags.ts'

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-music-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

function wav(samples: Int16Array, channels = 1, rate = 22_050): Uint8Array {
  const bytes = new Uint8Array(44 + samples.length * 2)
  const view = new DataView(bytes.buffer)
  const write = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at)
  write(0, 'RIFF')
  view.setUint32(4, 36 + samples.length * 2, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  write(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  samples.forEach((sample, at) => view.setInt16(44 + at * 2, sample, true))
  return bytes
}

/** Ogg pages with a wrong checksum each: nobody here looks at it. */
function ogg(packets: readonly Uint8Array[]): Uint8Array {
  const pages = packets.flatMap((packet) => {
    const lengths = [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255]
    const head = new Uint8Array(27 + lengths.length)
    head.set(new TextEncoder().encode('OggS'))
    head[26] = lengths.length
    head.set(lengths, 27)
    return [...head, ...packet]
  })
  return new Uint8Array(pages)
}

test('a stereo WAV comes out as the mean of its channels, from where it was left', async () => {
  const dir = await folder()
  const frames = 22_050
  const samples = new Int16Array(frames * 2).map((_, at) => (at % 2 === 0 ? 1000 : 3000))
  await writeFile(join(dir, 'a.wav'), wav(samples, 2))
  const sound = await openSound(join(dir, 'a.wav'), 2_050)
  const pieces: Int16Array[] = []
  for await (const piece of sound.pcm) pieces.push(piece)
  expect(sound.sampleRate).toBe(22_050)
  expect(pieces.reduce((sum, piece) => sum + piece.length, 0)).toBe(frames - 2_050)
  expect(new Set(pieces.flatMap((piece) => [...piece]))).toEqual(new Set([2000]))
})

test('Ogg Opus is decoded, Ogg of another kind refused', () => {
  const encoder = createOpusEncoder({ sampleRate: 48_000, channels: 1, frameDuration: 20 })
  const head = new Uint8Array(19)
  head.set(new TextEncoder().encode('OpusHead'))
  head[9] = 1
  const frame = () => encoder.encode(new Int16Array(960).map((_, at) => 8000 * Math.sin(at / 20)))
  const reader = readOgg(ogg([head, new TextEncoder().encode('OpusTags'), frame(), frame(), frame()]))
  const pieces = [reader.next(), reader.next(), reader.next(), reader.next()]
  expect(pieces.map((piece) => piece?.length)).toEqual([960, 960, 960, undefined])
  expect(Math.max(...(pieces[2] ?? []))).toBeGreaterThan(2000)
  expect(() => readOgg(ogg([new TextEncoder().encode('\u0001vorbis')]))).toThrow(
    expect.objectContaining({ code: 'helper-bad-sound' }),
  )
})

test('a file that is no sound is refused, and its decoder is ended when it hangs', async () => {
  const dir = await folder()
  const noise = new Uint8Array(20_000).map((_, at) => (at * 7919) % 251)
  await writeFile(join(dir, 'noise.mp3'), noise)
  await writeFile(join(dir, 'short.wav'), wav(new Int16Array(10)).subarray(0, 30))
  await writeFile(join(dir, 'empty.mp3'), '')
  for (const name of ['noise.mp3', 'short.wav', 'empty.mp3', 'missing.mp3'])
    await expect(openSound(join(dir, name))).rejects.toMatchObject({ code: 'helper-bad-sound' })
})

test('broken WAV and Ogg bytes give a typed error or sound', () => {
  const whole = wav(new Int16Array(3000))
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.tuple(fc.nat(60), fc.nat(255)).map(([at, value]) => Uint8Array.from(whole).fill(value, at, at + 3)),
    fc.uint8Array({ maxLength: 200 }).map((rest) => Uint8Array.from([0x4f, 0x67, 0x67, 0x53, ...rest])),
  )
  fc.assert(
    fc.property(bytes, fc.constantFrom(readWav, readOgg), (data, read) => {
      try {
        const reader = read(data)
        for (let n = 0; n < 50 && reader.next() !== undefined; n++);
      } catch (error) {
        expect(isAppError(error, 'helper-bad-sound')).toBe(true)
      }
      soundTags(data, data.subarray(-128))
    }),
    { numRuns: 500 },
  )
})

test('a folder is indexed by tags and names, and searched', async () => {
  const dir = await folder()
  await mkdir(join(dir, 'deep'))
  await writeFile(join(dir, 'deep', '03 Bach - Air.mp3'), 'x')
  const tag = new Uint8Array(200)
  tag.set(new TextEncoder().encode('TAG'), 72)
  tag.set(new TextEncoder().encode('Little Star'), 75)
  tag.set(new TextEncoder().encode('Choir'), 105)
  await writeFile(join(dir, 'x.mp3'), tag)
  await writeFile(join(dir, 'notes.txt'), 'no music')
  const tracks = await indexMusic(dir)
  expect(tracks.map(({ title, artist }) => [title, artist])).toEqual([
    ['Air', 'Bach'],
    ['Little Star', 'Choir'],
  ])
  expect(searchMusic(tracks, 'air by bach').map(({ title }) => title)).toEqual(['Air'])
  await expect(indexMusic('relative')).rejects.toMatchObject({ code: 'helper-bad-folder' })
})

test('lyrics are read by time, and garbage leaves no lines', () => {
  expect(parseLyrics('[ti:Song]\n[00:02.5][01:00]la la\n[00:01.00]first\nno time\n[99:99]')).toEqual([
    { atMs: 1000, text: 'first' },
    { atMs: 2500, text: 'la la' },
    { atMs: 60_000, text: 'la la' },
  ])
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (text) => {
      expect(parseLyrics(text).length).toBeLessThanOrEqual(2000)
    }),
  )
})
