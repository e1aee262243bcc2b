import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A sine of `ms` at `frequency` Hz; amplitude in 16-bit steps. */
export function sine(frequency: number, options: { rate: number; ms: number; amplitude?: number }): Int16Array {
  const { rate, ms, amplitude = 8_000 } = options
  return Int16Array.from({ length: (rate * ms) / 1000 }, (_, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * index) / rate)),
  )
}

/** Repeatable numbers in [0, 1) (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function noise(length: number, amplitude: number, seed = 1): Int16Array {
  const random = createRandom(seed)
  return Int16Array.from({ length }, () => Math.round((random() * 2 - 1) * amplitude))
}

export function randomBytes(length: number, random: () => number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256))
}

export function rms(pcm: Int16Array): number {
  return Math.sqrt(pcm.reduce((sum, value) => sum + value * value, 0) / Math.max(1, pcm.length))
}

/** dB of `wanted` against what differs from it; both of equal length and aligned. */
export function snr(wanted: Int16Array, got: Int16Array): number {
  let signal = 0
  let error = 0
  for (const [index, value] of wanted.entries()) {
    signal += value * value
    error += (value - (got[index] ?? 0)) ** 2
  }
  return 10 * Math.log10(signal / Math.max(error, 1e-9))
}

export interface SineFit {
  /** Amplitude of the best sine of that frequency, in 16-bit steps. */
  readonly amplitude: number
  /** dB of that sine against all the rest: whatever delay or phase it came with. */
  readonly snr: number
}

export function fitSine(pcm: Int16Array, frequency: number, rate: number): SineFit {
  const sums = { cc: 0, ss: 0, cs: 0, xc: 0, xs: 0, xx: 0 }
  for (const [index, value] of pcm.entries()) {
    const angle = (2 * Math.PI * frequency * index) / rate
    const [c, s] = [Math.cos(angle), Math.sin(angle)]
    sums.cc += c * c
    sums.ss += s * s
    sums.cs += c * s
    sums.xc += value * c
    sums.xs += value * s
    sums.xx += value * value
  }
  const det = sums.cc * sums.ss - sums.cs ** 2
  const a = (sums.xc * sums.ss - sums.xs * sums.cs) / det
  const b = (sums.xs * sums.cc - sums.xc * sums.cs) / det
  const power = a * sums.xc + b * sums.xs
  return { amplitude: Math.hypot(a, b), snr: 10 * Math.log10(power / Math.max(sums.xx - power, 1e-9)) }
}

export interface Speech {
  readonly pcm: Int16Array
  readonly rate: number
}

/** Speech by a program of this machine; undefined where it is not installed. */
export function speak(text: string, program: 'flite' | 'espeak-ng'): Speech | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'speech-'))
  try {
    const wav = join(folder, 'speech.wav')
    const args = program === 'flite' ? ['-voice', 'slt', '-t', text, '-o', wav] : ['-w', wav, text]
    if (spawnSync(program, args).status !== 0) return undefined
    return readWav(readFileSync(wav))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Mono, 16 bit, header of 44 bytes: what both programs write. */
function readWav(bytes: Uint8Array): Speech {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = Math.floor((bytes.length - 44) / 2)
  const pcm = Int16Array.from({ length }, (_, index) => view.getInt16(44 + index * 2, true))
  return { pcm, rate: view.getUint32(24, true) }
}

/** First and last ms of speech, by level: within 30 dB of the loudest 10 ms. */
export function spokenSpan({ pcm, rate }: Speech): { readonly startMs: number; readonly endMs: number } {
  const step = rate / 100
  const levels = Array.from({ length: Math.floor(pcm.length / step) }, (_, index) =>
    rms(pcm.subarray(index * step, (index + 1) * step)),
  )
  const limit = Math.max(...levels) / 31.6
  const loud = (level: number) => level >= limit
  return { startMs: levels.findIndex(loud) * 10, endMs: (levels.findLastIndex(loud) + 1) * 10 }
}
