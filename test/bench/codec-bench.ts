import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinSamples } from '../../electron/server/audio/audio-format.ts'
import { createOpusDecoder, createOpusEncoder } from '../../electron/server/audio/opus.ts'
import { loadOpus } from '../../electron/server/audio/opus-heap.ts'
import { loadResampler } from '../../electron/server/audio/resampler.ts'
import { noise, sine, speak } from '../support/audio-signals.ts'
import { budgeted } from './figures.ts'

interface Case {
  readonly sampleRate: number
  readonly frameDuration: number
  readonly bitrate: number
}

interface Measurement extends Case {
  readonly rounds: number
}

interface Cost {
  /** Microseconds of CPU a frame, the best of all rounds: what the machine did besides is not ours. */
  readonly encode: number
  readonly decode: number
}

const cases: readonly Case[] = [
  { sampleRate: 16_000, frameDuration: 60, bitrate: 24_000 },
  { sampleRate: 16_000, frameDuration: 20, bitrate: 24_000 },
  { sampleRate: 24_000, frameDuration: 60, bitrate: 32_000 },
]
const complexity = 5
/** The most that wasm may cost beside native. */
const encodeBudget = 1.6
const decodeBudget = 2.7

/**
 * CPU time a frame of our libopus in wasm (copies in and out included) and of the system's libopus, on the same frames:
 * VOIP, complexity 5, about 10 s of speech. Native figures are missing where there is no gcc or no libopus-dev, and
 * the figure `native` says so.
 */
export async function codecBench({ rounds = 5 } = {}): Promise<{
  name: 'codec'
  figures: Record<string, number | string>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'codec-bench-'))
  try {
    const program = buildNative(folder)
    const figures: Record<string, number | string> = { ours: loadOpus().version }
    if (!program) figures['native'] = 'skipped: gcc or libopus-dev is missing'
    for (const each of cases) {
      const pcm = await speechAt(each.sampleRate)
      const name = `${each.sampleRate / 1000}k_${each.frameDuration}ms`
      const { ours, native } = inTurns(pcm, { ...each, rounds }, program ? { program, folder } : undefined)
      figures[`${name}_encode_us`] = round(ours.encode)
      figures[`${name}_decode_us`] = round(ours.decode)
      if (!native) continue
      figures['native'] = native.version
      figures[`${name}_native_encode_us`] = round(native.encode)
      figures[`${name}_native_decode_us`] = round(native.decode)
      Object.assign(
        figures,
        budgeted(`${name}_encode_ratio`, ours.encode / native.encode, encodeBudget),
        budgeted(`${name}_decode_ratio`, ours.decode / native.decode, decodeBudget),
      )
    }
    return { name: 'codec', figures }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Ours and native by turns, the best of each: a busy moment of the machine then falls on both. */
function inTurns(
  pcm: Int16Array,
  measurement: Measurement,
  native: { readonly program: string; readonly folder: string } | undefined,
) {
  const best = (one: Cost, other: Cost | undefined): Cost => ({
    encode: Math.min(one.encode, other?.encode ?? Infinity),
    decode: Math.min(one.decode, other?.decode ?? Infinity),
  })
  let ours: Cost | undefined
  let theirs: (Cost & { readonly version: string }) | undefined
  for (let turn = 0; turn < 4; turn++) {
    ours = best(measureOurs(pcm, measurement), ours)
    const found = native && measureNative(native.program, pcm, { ...measurement, folder: native.folder })
    if (found) theirs = { ...found, ...best(found, theirs) }
  }
  return { ours: ours ?? { encode: Infinity, decode: Infinity }, native: theirs }
}

const round = (value: number) => Math.round(value * 100) / 100

async function speechAt(rate: number): Promise<Int16Array> {
  const text =
    'Turn on the lamp in the kitchen, set the fan to eighty percent and tell me the temperature of the living room. ' +
    'Once upon a time a small board on a desk listened all day long, and it never grew tired of hearing people talk.'
  const speech = speak(text, 'flite') ?? speak(text, 'espeak-ng') ?? { pcm: syllables(), rate: 16_000 }
  const resampler = (await loadResampler()).create({ from: speech.rate, to: rate })
  return joinSamples([resampler.process(speech.pcm), resampler.flush()])
}

/** Where no program speaks: tones and hiss in turn. */
function syllables(): Int16Array {
  const part = (index: number) =>
    joinSamples([sine(120 + 20 * (index % 5), { rate: 16_000, ms: 180 }), noise(1_600, 2_500, index + 1)])
  return joinSamples(Array.from({ length: 40 }, (_, index) => part(index)))
}

function measureOurs(pcm: Int16Array, { sampleRate, frameDuration, bitrate, rounds }: Measurement): Cost {
  const encoder = createOpusEncoder({ sampleRate, channels: 1, frameDuration, bitrate, complexity })
  const decoder = createOpusDecoder({ sampleRate, channels: 1 })
  const size = (sampleRate * frameDuration) / 1000
  const frames = Array.from({ length: Math.floor(pcm.length / size) }, (_, index) =>
    pcm.subarray(index * size, (index + 1) * size),
  )
  let best: Cost = { encode: Infinity, decode: Infinity }
  for (let index = 0; index < rounds; index++) {
    const packets: Uint8Array[] = []
    const encode = cpuOf(() => frames.forEach((frame) => packets.push(encoder.encode(frame)))) / frames.length
    const decode = cpuOf(() => packets.forEach((packet) => decoder.decode(packet, size))) / frames.length
    best = { encode: Math.min(best.encode, encode), decode: Math.min(best.decode, decode) }
  }
  return best
}

function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const nativeSource = `
#include <opus/opus.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}
int main(int argc, char **argv) {
  int rate = atoi(argv[1]), size = rate / 1000 * atoi(argv[2]), error, sum = 0;
  short *pcm = malloc(1 << 23), out[5760];
  FILE *file = fopen(argv[6], "rb");
  long frames = (long)fread(pcm, 2, 1 << 22, file) / size;
  unsigned char *packets = malloc(frames * 1500);
  int *lengths = malloc(frames * sizeof(int));
  OpusEncoder *encoder = opus_encoder_create(rate, 1, OPUS_APPLICATION_VOIP, &error);
  OpusDecoder *decoder = opus_decoder_create(rate, 1, &error);
  opus_encoder_ctl(encoder, OPUS_SET_BITRATE(atoi(argv[3])));
  opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(atoi(argv[4])));
  opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
  double encode = 1e18, decode = 1e18;
  for (int round = 0; round < atoi(argv[5]); round++) {
    double a = cpu();
    for (long i = 0; i < frames; i++) lengths[i] = opus_encode(encoder, pcm + i * size, size, packets + i * 1500, 1500);
    double b = cpu();
    for (long i = 0; i < frames; i++) sum += opus_decode(decoder, packets + i * 1500, lengths[i], out, size, 0);
    double c = cpu();
    if (b - a < encode) encode = b - a;
    if (c - b < decode) decode = c - b;
  }
  printf("%f %f %s\\n", encode / frames, decode / frames, opus_get_version_string());
  return sum <= 0;
}
`

function buildNative(folder: string): string | undefined {
  const [source, program] = [join(folder, 'native.c'), join(folder, 'native')]
  writeFileSync(source, nativeSource)
  return spawnSync('gcc', ['-O2', source, '-o', program, '-lopus']).status === 0 ? program : undefined
}

function measureNative(
  program: string,
  pcm: Int16Array,
  { sampleRate, frameDuration, bitrate, rounds, folder }: Measurement & { readonly folder: string },
): (Cost & { readonly version: string }) | undefined {
  const file = join(folder, 'speech.raw')
  writeFileSync(file, new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength))
  const args = [...[sampleRate, frameDuration, bitrate, complexity, rounds].map(String), file]
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' })
  const [, encode, decode, version] = /^(\S+) (\S+) (.+)/.exec(stdout) ?? []
  if (status !== 0 || !version) return undefined
  return { encode: Number(encode), decode: Number(decode), version }
}
