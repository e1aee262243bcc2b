import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRandom, fitSine, noise, randomBytes, rms, sine, snr } from '../../../test/support/audio-signals.ts'
import { resourceUrl } from '../../base/entries.ts'
import { joinSamples, mixUp } from './audio-format.ts'
import { createOpusDecoder, createOpusEncoder, type OpusEncoderOptions } from './opus.ts'
import { loadOpus } from './opus-heap.ts'

const voice = { sampleRate: 16_000, channels: 1, frameDuration: 60 } as const

/** Something like speech: syllables of a voice that glides, with breath between them. */
function speechLike(rate: number, ms: number): Int16Array {
  const hiss = noise((rate * ms) / 1000, 1_500)
  let phase = 0
  return Int16Array.from(hiss, (breath, index) => {
    const t = index / rate
    phase += (2 * Math.PI * (150 + 50 * Math.sin(2 * Math.PI * 2.3 * t))) / rate
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 4.1 * t)) ** 0.5
    const tones = [1, 2, 3, 5].reduce((sum, n) => sum + Math.sin(phase * n + n * n) / n, 0)
    return Math.round(syllable * 5_000 * tones + (1 - syllable) * breath)
  })
}

function encodeAll(pcm: Int16Array, options: OpusEncoderOptions): Uint8Array[] {
  const encoder = createOpusEncoder(options)
  const frame = (options.sampleRate * options.frameDuration * options.channels) / 1000
  return Array.from({ length: Math.floor(pcm.length / frame) }, (_, index) =>
    encoder.encode(pcm.subarray(index * frame, (index + 1) * frame)),
  )
}

test('the checked-in libopus is the one that its hash names, and it is 1.5.2', () => {
  const sums = readFileSync(resourceUrl('wasm/SHA256SUMS'), 'utf8')
  const hash = createHash('sha256')
    .update(readFileSync(resourceUrl('wasm/libopus.wasm')))
    .digest('hex')
  expect(sums).toContain(`${hash}  libopus.wasm`)
  expect(loadOpus().version).toBe('libopus 1.5.2')
})

describe.each([8_000, 12_000, 16_000, 24_000, 48_000])('at %i Hz', (sampleRate) => {
  test.each([20, 40, 60])('a tone survives the round trip in frames of %i ms, mono and stereo', (frameDuration) => {
    for (const channels of [1, 2]) {
      const pcm = mixUp(sine(440, { rate: sampleRate, ms: 1_200 }), channels)
      const packets = encodeAll(pcm, { sampleRate, channels, frameDuration, bitrate: 48_000 })
      const decoder = createOpusDecoder({ sampleRate, channels })
      const frame = (sampleRate * frameDuration) / 1000
      const decoded = packets.map((packet) => decoder.decode(packet, frame))
      expect(decoded.every((part) => part.length === frame * channels)).toBe(true)
      const left = joinSamples(decoded).filter((_, index) => index % channels === 0)
      const fit = fitSine(left.subarray(sampleRate * 0.3), 440, sampleRate)
      expect(fit.snr).toBeGreaterThan(20)
      expect(fit.amplitude).toBeGreaterThan(7_000)
      expect(fit.amplitude).toBeLessThan(9_000)
    }
  })
})

test('the decoder lags by the lookahead that the encoder names, within half a millisecond', () => {
  const pcm = speechLike(16_000, 1_800)
  const { lookahead } = createOpusEncoder(voice)
  const decoder = createOpusDecoder(voice)
  const decoded = joinSamples(
    encodeAll(pcm, { ...voice, bitrate: 64_000 }).map((packet) => decoder.decode(packet, 960)),
  )
  const lags = Array.from({ length: 200 }, (_, lag) => ({
    lag,
    likeness: snr(pcm.subarray(3_000, 20_000), decoded.subarray(3_000 + lag, 20_000 + lag)),
  }))
  const [best] = lags.sort((a, b) => b.likeness - a.likeness)
  expect(Math.abs(best!.lag - lookahead)).toBeLessThanOrEqual(8)
  expect(best!.likeness).toBeGreaterThan(4)
})

test('one lost packet is replaced by exactly one frame, also before the first packet', () => {
  const decoder = createOpusDecoder(voice)
  expect(decoder.conceal(960)).toHaveLength(960)
  for (const packet of encodeAll(speechLike(16_000, 600), voice)) decoder.decode(packet, 960)
  const filled = decoder.conceal(960)
  expect(filled).toHaveLength(960)
  expect(rms(filled)).toBeGreaterThan(100)
  for (const wrong of [0, -960, 123, 1_920.5, 16_000]) {
    expect(() => decoder.conceal(wrong)).toThrow(expect.objectContaining({ code: 'voice-bad-packet' }))
  }
})

test('error correction restores a lost frame far better than a guess', () => {
  const pcm = speechLike(16_000, 3_000)
  const packets = encodeAll(pcm, { ...voice, bitrate: 32_000, fec: true, expectedLossPct: 25 })
  const clean = createOpusDecoder(voice)
  const wanted = packets.map((packet) => clean.decode(packet, 960))
  const gains = packets.slice(5, -1).map((_, offset) => {
    const lost = offset + 5
    const [corrected, guessed] = [createOpusDecoder(voice), createOpusDecoder(voice)]
    for (const packet of packets.slice(0, lost)) {
      corrected.decode(packet, 960)
      guessed.decode(packet, 960)
    }
    const truth = wanted[lost]!
    return snr(truth, corrected.decodeFec(packets[lost + 1]!, 960)) - snr(truth, guessed.conceal(960))
  })
  gains.sort((a, b) => a - b)
  expect(gains[Math.floor(gains.length / 2)]).toBeGreaterThan(3)
})

test('random, flipped and giant packets are typed errors or noise, and the next good packet decodes', () => {
  const random = createRandom(7)
  const decoder = createOpusDecoder(voice)
  const [, , , good] = encodeAll(speechLike(16_000, 300), voice)
  for (let round = 0; round < 2_000; round++) {
    const flipped = good!.slice(0, 1 + Math.floor(random() * good!.length))
    const place = Math.floor(random() * flipped.length)
    flipped[place] = (flipped[place] ?? 0) ^ (1 << Math.floor(random() * 8))
    for (const packet of [randomBytes(Math.floor(random() * 300), random), flipped]) {
      try {
        expect(decoder.decode(packet, 960).length).toBeLessThanOrEqual(960)
      } catch (error) {
        expect(error).toMatchObject({ code: 'voice-bad-packet' })
      }
      try {
        expect(decoder.decodeFec(packet, 960).length).toBe(960)
      } catch (error) {
        expect(error).toMatchObject({ code: 'voice-bad-packet' })
      }
    }
  }
  for (const bytes of [0, 4_097, 20_000]) {
    expect(() => decoder.decode(new Uint8Array(bytes), 960)).toThrow(
      expect.objectContaining({ code: 'voice-bad-packet' }),
    )
  }
  expect(() => decoder.decode(new Uint8Array(3_000).fill(8), 960)).toThrow(/allowed are 1 to 1279/)
  expect(decoder.decode(good!, 960)).toHaveLength(960)
})

test('a packet longer than the agreed frame is refused before it is decoded', () => {
  const [long] = encodeAll(speechLike(16_000, 120), { ...voice, frameDuration: 120 })
  const decoder = createOpusDecoder(voice)
  expect(() => decoder.decode(long!, 960)).toThrow(expect.objectContaining({ code: 'voice-bad-packet' }))
  expect(decoder.decode(long!, 1_920)).toHaveLength(1_920)
})

test('a packet shorter than the frame is taken: the last one of an utterance is', () => {
  const [short] = encodeAll(speechLike(16_000, 20), { ...voice, frameDuration: 20 })
  expect(createOpusDecoder(voice).decode(short!, 960)).toHaveLength(320)
})

test('silence with DTX becomes packets of a byte or two, which decode', () => {
  const packets = encodeAll(new Int16Array(960 * 30), { ...voice, dtx: true })
  const tiny = packets.filter((packet) => packet.length <= 2)
  expect(tiny.length).toBeGreaterThan(5)
  const decoder = createOpusDecoder(voice)
  for (const packet of tiny) expect(decoder.decode(packet, 960)).toHaveLength(960)
})

test('PCM of a wrong length is refused, and the encoder goes on', () => {
  const encoder = createOpusEncoder(voice)
  for (const length of [0, 777, 959, 961, 1_920]) {
    expect(() => encoder.encode(new Int16Array(length))).toThrow(expect.objectContaining({ code: 'voice-bad-pcm' }))
  }
  expect(encoder.encode(sine(300, { rate: 16_000, ms: 60 })).length).toBeGreaterThan(10)
})

test('a stereo packet comes out of a mono decoder as one channel, half as loud where one side is silent', () => {
  const left = sine(440, { rate: 16_000, ms: 600 })
  const stereo = Int16Array.from({ length: left.length * 2 }, (_, index) => (index % 2 ? 0 : (left[index / 2] ?? 0)))
  const decoder = createOpusDecoder(voice)
  const parts = encodeAll(stereo, { ...voice, channels: 2, bitrate: 64_000 }).map((packet) =>
    decoder.decode(packet, 960),
  )
  expect(parts.every((part) => part.length === 960)).toBe(true)
  const { amplitude } = fitSine(joinSamples(parts).subarray(4_000), 440, 16_000)
  expect(amplitude).toBeGreaterThan(3_000)
  expect(amplitude).toBeLessThan(5_000)
})

test('rates, channels, durations and settings that Opus does not have are refused by name', () => {
  const unsupported = expect.objectContaining({ code: 'iotta-unsupported-codec' }) as Error
  expect(() => createOpusEncoder({ ...voice, sampleRate: 22_050 })).toThrow(unsupported)
  expect(() => createOpusEncoder({ ...voice, frameDuration: 30 })).toThrow(unsupported)
  expect(() => createOpusEncoder({ ...voice, channels: 3 })).toThrow(unsupported)
  expect(() => createOpusEncoder({ ...voice, complexity: 11 })).toThrow(unsupported)
  expect(() => createOpusDecoder({ sampleRate: 44_100, channels: 1 })).toThrow(unsupported)
})

test('a closed codec says so, and a reset one starts as new', () => {
  const pcm = speechLike(16_000, 180)
  const [first] = encodeAll(pcm, voice)
  const encoder = createOpusEncoder(voice)
  for (let round = 0; round < 3; round++) encoder.encode(noise(960, 9_000))
  encoder.reset()
  expect(encoder.encode(pcm.subarray(0, 960))).toEqual(first)
  encoder.close()
  expect(() => encoder.encode(new Int16Array(960))).toThrow(expect.objectContaining({ code: 'voice-codec-stopped' }))
})

test('a trap in the wasm is a typed error, now and for every later call of that instance', () => {
  const heap = loadOpus().open()
  const stopped = expect.objectContaining({ code: 'voice-codec-stopped' }) as Error
  expect(() => heap.run((wasm) => wasm.opus_decode(2 ** 31 - 8, 0, 0, 2 ** 31 - 8, 960, 0))).toThrow(stopped)
  expect(() => createOpusDecoder(voice, heap)).toThrow(stopped)
})

test('1 000 sessions leave no memory behind', () => {
  const pcm = speechLike(16_000, 60)
  const cycle = () => {
    const heap = loadOpus().open()
    const packet = createOpusEncoder(voice, heap).encode(pcm)
    createOpusDecoder(voice, heap).decode(packet, 960)
    expect(heap.wasm.memory.buffer.byteLength).toBeLessThan(1024 * 1024)
  }
  for (let i = 0; i < 1_000; i++) cycle()
})

describe('against other builds of Opus', () => {
  interface OtherExports {
    readonly memory: { readonly buffer: ArrayBuffer }
    __wasm_call_ctors(): void
    malloc(bytes: number): number
    opus_encoder_create(...call: number[]): number
    opus_encode_float(...call: number[]): number
    opus_decoder_create(...call: number[]): number
    opus_decode_float(...call: number[]): number
  }
  interface WasmGlobal {
    readonly WebAssembly: {
      readonly Module: new (bytes: Uint8Array) => object
      readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
    }
  }

  function openOther(file: string): OtherExports {
    const { WebAssembly } = globalThis as unknown as WasmGlobal
    const path = new URL(`../../../node_modules/opus-encdec/dist/${file}`, import.meta.url)
    const refuse = () => 52
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)), {
      env: {
        emscripten_resize_heap: () => 0,
        emscripten_memcpy_big(to: number, from: number, length: number) {
          new Uint8Array(other.memory.buffer).copyWithin(to, from, from + length)
        },
        abort: refuse,
        setTempRet0: () => undefined,
      },
      wasi_snapshot_preview1: { fd_close: refuse, fd_write: refuse, fd_seek: refuse },
    })
    const other = exports as OtherExports
    other.__wasm_call_ctors()
    return other
  }

  test('opus-encdec hears in our packets what we hear', () => {
    const packets = encodeAll(speechLike(16_000, 3_000), voice)
    const ours = createOpusDecoder(voice)
    const other = openOther('libopus-decoder.wasm.wasm')
    const [state, packetAt, pcmAt] = [
      other.opus_decoder_create(16_000, 1, other.malloc(4)),
      other.malloc(1_500),
      other.malloc(3_840),
    ]
    const heard = packets.map((packet) => {
      new Uint8Array(other.memory.buffer).set(packet, packetAt)
      const count = other.opus_decode_float(state, packetAt, packet.length, pcmAt, 960, 0)
      return new Float32Array(other.memory.buffer, pcmAt, count).map((value) => value * 32_768)
    })
    expect(
      snr(
        joinSamples(packets.map((packet) => ours.decode(packet, 960))),
        joinSamples(heard.map((part) => Int16Array.from(part))),
      ),
    ).toBeGreaterThan(40)
  })

  test('we hear what opus-encdec said', () => {
    const pcm = sine(440, { rate: 16_000, ms: 1_200 })
    const other = openOther('libopus-encoder.wasm.wasm')
    const [state, packetAt, pcmAt] = [
      other.opus_encoder_create(16_000, 1, 2048, other.malloc(4)),
      other.malloc(1_500),
      other.malloc(3_840),
    ]
    const decoder = createOpusDecoder(voice)
    const heard = Array.from({ length: 20 }, (_, index) => {
      new Float32Array(other.memory.buffer, pcmAt, 960).set(
        Float32Array.from(pcm.subarray(index * 960, (index + 1) * 960), (value) => value / 32_768),
      )
      const length = other.opus_encode_float(state, pcmAt, 960, packetAt, 1_500)
      return decoder.decode(new Uint8Array(other.memory.buffer, packetAt, length), 960)
    })
    expect(fitSine(joinSamples(heard).subarray(4_800), 440, 16_000).snr).toBeGreaterThan(15)
  })

  const hasTools = spawnSync('opusenc', ['--version']).status === 0 && spawnSync('opusdec', ['--version']).status === 0
  test.skipIf(!hasTools)('a file of opusenc sounds as opusdec plays it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'opus-'))
    try {
      const [raw, file, played] = ['in.raw', 'file.opus', 'out.raw'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ]
      writeFileSync(raw, new Uint8Array(speechLike(16_000, 2_400).buffer))
      const form = ['--raw', '--raw-rate', '16000', '--raw-chan', '1']
      expect(spawnSync('opusenc', ['--quiet', '--framesize', '60', '--speech', ...form, raw, file]).status).toBe(0)
      expect(spawnSync('opusdec', ['--quiet', '--no-dither', '--rate', '48000', file, played]).status).toBe(0)
      const [head, , ...packets] = oggPackets(readFileSync(file))
      const decoder = createOpusDecoder({ sampleRate: 48_000, channels: 1 })
      const heard = joinSamples(packets.map((packet) => decoder.decode(packet, 2_880)))
      const bytes = new Uint8Array(readFileSync(played))
      const wanted = new Int16Array(bytes.buffer)
      const preSkip = (head![10] ?? 0) + 256 * (head![11] ?? 0)
      expect(wanted.length).toBeGreaterThan(100_000)
      expect(snr(wanted, heard.subarray(preSkip))).toBeGreaterThan(40)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** Packets of an Ogg file (RFC 3533): pages with a table of segments; one below 255 bytes ends a packet. */
function oggPackets(file: Uint8Array): Uint8Array[] {
  const packets: Uint8Array[] = []
  const parts: number[] = []
  for (let page = 0; page < file.length;) {
    const sizes = file.subarray(page + 27, page + 27 + (file[page + 26] ?? 0))
    let at = page + 27 + sizes.length
    for (const size of sizes) {
      parts.push(...file.subarray(at, at + size))
      at += size
      if (size < 255) packets.push(Uint8Array.from(parts.splice(0)))
    }
    page = at
  }
  return packets
}
