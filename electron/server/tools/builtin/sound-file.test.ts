import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { isAppError } from '../../../base/app-error.ts'
import { createRandom, fitSine } from '../../../../test/support/audio-signals.ts'
import { createOpusEncoder } from '../../audio/opus.ts'
import { parseLyrics } from './lyrics.ts'
import { indexMusic, searchMusic } from './music-index.ts'
import { oggKind, readOgg } from './ogg-reader.ts'
import { openSound } from './sound-file.ts'
import { readWav } from './sound-reader.ts'
import { createTagReader } from './tag-reader.ts'

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

test('Ogg Opus is decoded, Ogg of an unknown kind refused', () => {
  const encoder = createOpusEncoder({ sampleRate: 48_000, channels: 1, frameDuration: 20 })
  const head = new Uint8Array(19)
  head.set(new TextEncoder().encode('OpusHead'))
  head[9] = 1
  const frame = () => encoder.encode(new Int16Array(960).map((_, at) => 8000 * Math.sin(at / 20)))
  const reader = readOgg(ogg([head, new TextEncoder().encode('OpusTags'), frame(), frame(), frame()]))
  const pieces = [reader.next(), reader.next(), reader.next(), reader.next()]
  expect(pieces.map((piece) => piece?.length)).toEqual([960, 960, 960, undefined])
  expect(Math.max(...(pieces[2] ?? []))).toBeGreaterThan(2000)
  expect(oggKind(ogg([head]))).toBe('opus')
  for (const first of ['Speex   ', ''])
    expect(() => oggKind(ogg([new TextEncoder().encode(first)]))).toThrow(
      expect.objectContaining({ code: 'helper-bad-sound' }),
    )
})

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args)
  expect({ program, status, said: stderr.toString() }).toEqual({ program, status: 0, said: '' })
}

/** Half a second of 440 Hz, half a second of 880 Hz, 3 dB lower, at 16 kHz, with tags, as other programs write it. */
async function twoTones(dir: string, ending: string): Promise<string> {
  const path = join(dir, `two.${ending}`)
  // sox writes no MP3 here; the file is its WAV through `lame -b 32 -m m --tt "Two Tones" --ta Sox --id3v2-only`.
  if (ending === 'mp3') {
    await writeFile(path, await readFile(new URL('../../../../test/support/two-tones.mp3', import.meta.url)))
    return path
  }
  const raw = join(dir, 'two.raw.wav')
  const tones = ['synth', '0.5', 'sine', '440', ':', 'synth', '0.5', 'sine', '880', 'gain', '-6']
  const comments = ['TITLE=Two Tones', 'ARTIST=Sox', 'LYRICS=[00:00.00]low\n[00:00.50]high']
  const commented = (option: string) => comments.flatMap((comment) => [option, comment])
  run('sox', ['-n', '-r', '16000', '-c', '1', '-b', '16', raw, ...tones])
  if (ending === 'opus') run('opusenc', ['--quiet', ...commented('--comment'), raw, path])
  else run('sox', [raw, ...commented('--add-comment'), path])
  return path
}

async function decoded(path: string): Promise<{ pcm: Int16Array; rate: number }> {
  const sound = await openSound(path)
  const samples: number[] = []
  for await (const piece of sound.pcm) samples.push(...piece)
  return { pcm: Int16Array.from(samples), rate: sound.sampleRate }
}

test.each(['mp3', 'flac', 'ogg', 'opus'])(
  'two tones of a .%s file come out as they were, with their tags',
  async (ending) => {
    const path = await twoTones(await folder(), ending)
    const { pcm, rate } = await decoded(path)
    // Formats with a delay of their own add a little silence.
    expect(pcm.length / rate).toBeGreaterThan(0.98)
    expect(pcm.length / rate).toBeLessThan(1.12)
    const middle = (second: number) => pcm.subarray(second * rate, (second + 0.2) * rate)
    for (const [from, tone, size] of [
      [0.15, 440, 23_100],
      [0.75, 880, 16_400],
    ] as const) {
      const { amplitude, snr } = fitSine(middle(from), tone, rate)
      expect(snr).toBeGreaterThan(15)
      expect(Math.abs(amplitude / size - 1)).toBeLessThan(0.12)
    }
    const tags = createTagReader()
    onTestFinished(() => tags.close())
    expect(await tags.tagsOf(path)).toEqual({
      title: 'Two Tones',
      artist: 'Sox',
      lyrics:
        ending === 'mp3'
          ? []
          : [
              { atMs: 0, text: 'low' },
              { atMs: 500, text: 'high' },
            ],
    })
  },
)

test.each(['mp3', 'flac', 'ogg', 'opus'])(
  'a .%s file that is cut or broken gives sound or a typed error',
  async (ending) => {
    const dir = await folder()
    const whole = await readFile(await twoTones(dir, ending))
    const random = createRandom(11)
    const corrupt = Array.from({ length: 16 }, () => {
      const bytes = Uint8Array.from(whole)
      for (let n = 0; n < 8; n++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
      return bytes
    })
    const cut = [whole.subarray(0, whole.length / 2), whole.subarray(0, 100), whole.subarray(0, 4)]
    const tags = createTagReader()
    onTestFinished(() => tags.close())
    for (const [at, bytes] of [...corrupt, ...cut, new Uint8Array()].entries()) {
      const path = join(dir, `${at}.${ending}`)
      await writeFile(path, bytes)
      const outcome = await decoded(path).catch((error: unknown) => error)
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'helper-bad-sound' })
      else expect((outcome as { pcm: Int16Array }).pcm.length).toBeLessThan(96_000)
      expect(await tags.tagsOf(path)).toHaveProperty('lyrics')
    }
  },
)

test('a file that is no sound is refused in a whole sentence', async () => {
  const dir = await folder()
  const noise = new Uint8Array(20_000).map((_, at) => (at * 7919) % 251)
  await writeFile(join(dir, 'noise.mp3'), noise)
  await writeFile(join(dir, 'short.wav'), wav(new Int16Array(10)).subarray(0, 30))
  await writeFile(join(dir, 'empty.mp3'), '')
  for (const name of ['noise.mp3', 'short.wav', 'empty.mp3', 'missing.mp3'])
    await expect(openSound(join(dir, name))).rejects.toMatchObject({
      code: 'helper-bad-sound',
      message: expect.stringMatching(/^The sound file cannot be played: (?!The)/) as string,
    })
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
    }),
    { numRuns: 500 },
  )
})

test('tags of a WAV and of an older MP3 are read', async () => {
  const dir = await folder()
  const text = new TextEncoder()
  const chunk = (name: string, body: Uint8Array) => {
    const length = new Uint8Array(new Uint32Array([body.length]).buffer)
    return Uint8Array.from([...text.encode(name), ...length, ...body])
  }
  const info = [
    ...text.encode('INFO'),
    ...chunk('INAM', text.encode('Rain\0\0')),
    ...chunk('IART', text.encode('Sky\0')),
  ]
  const listed = Uint8Array.from([...wav(new Int16Array(100)), ...chunk('LIST', Uint8Array.from(info))])
  new DataView(listed.buffer).setUint32(4, listed.length - 8, true)
  await writeFile(join(dir, 'a.wav'), listed)
  // ID3v2.3 with UTF-16, as programs of twenty years ago wrote it.
  const words = Uint8Array.from([1, 0xff, 0xfe, ...new Uint8Array(new Uint16Array([0x96e8, 0x58f0]).buffer)])
  const frame = [...text.encode('TIT2'), 0, 0, 0, words.length, 0, 0, ...words]
  const head = [...text.encode('ID3'), 3, 0, 0, 0, 0, 0, frame.length]
  await writeFile(join(dir, 'b.mp3'), Uint8Array.from([...head, ...frame, ...new Uint8Array(400)]))
  const tags = createTagReader()
  onTestFinished(() => tags.close())
  expect(await tags.tagsOf(join(dir, 'a.wav'))).toEqual({ title: 'Rain', artist: 'Sky', lyrics: [] })
  expect(await tags.tagsOf(join(dir, 'b.mp3'))).toEqual({ title: '雨声', artist: undefined, lyrics: [] })
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
