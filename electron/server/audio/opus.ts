import { AppError } from '../../base/app-error.ts'
import { loadOpus, type OpusHeap } from './opus-heap.ts'

// The one door to Opus (architecture D6): libopus in wasm, 16-bit samples, interleaved when stereo.

/** Longest packet that a board may send (iotta-protocol.md §3). */
const maxPacketBytes = 4096
const maxFrameBytes = 1275
const rates = [8_000, 12_000, 16_000, 24_000, 48_000]
const frameDurations = [2.5, 5, 10, 20, 40, 60, 80, 100, 120]

// Request numbers of opus_defines.h; a getter is its setter + 1.
const request = { bitrate: 4002, complexity: 4010, fec: 4012, loss: 4014, dtx: 4016, signal: 4024, lookahead: 4027 }
const resetState = 4028
const applicationVoip = 2048
const signalVoice = 3001

export interface OpusEncoderOptions {
  /** 8000, 12000, 16000, 24000 or 48000. */
  readonly sampleRate: number
  /** 1 or 2. */
  readonly channels: number
  /** Milliseconds: 2.5 to 120. */
  readonly frameDuration: number
  /** Bits a second, 6000 to 510000; by default 24 kbit/s for 16 kHz mono, in proportion for others. */
  readonly bitrate?: number
  /** 0 to 10, default 5. */
  readonly complexity?: number
  /** In-band error correction, for links that lose packets; needs expectedLossPct to have an effect. */
  readonly fec?: boolean
  /** 0 to 100. */
  readonly expectedLossPct?: number
  /** Silence becomes packets of 1 byte. */
  readonly dtx?: boolean
}

export interface OpusEncoder {
  /** Samples of one channel that the decoder gives before the first sample that went in. */
  readonly lookahead: number
  /** Exactly one frame (samples × channels), else voice-bad-pcm. The packet is a copy of its own. */
  encode(pcm: Int16Array): Uint8Array
  /** As new: for a reply that has nothing to do with the last one. */
  reset(): void
  close(): void
}

/** `heap`: an instance to share with the decoder of the same session; by default one of its own. */
export function createOpusEncoder(options: OpusEncoderOptions, heap: OpusHeap = loadOpus().open()): OpusEncoder {
  const { sampleRate, channels, frameDuration } = options
  checkRate(sampleRate, channels)
  if (!frameDurations.includes(frameDuration)) throw unsupported(`frames of ${frameDuration} ms`)
  const frame = (sampleRate * frameDuration) / 1000
  const state = create(heap, (error) => heap.wasm.opus_encoder_create(sampleRate, channels, applicationVoip, error))
  const pcmAt = heap.allocate(frame * channels * 2)
  const packetAt = heap.allocate(maxPacketBytes)
  const lookaheadAt = heap.allocate(4)
  for (const [number, value] of encoderSettings(options)) {
    if (heap.wasm.enc_set(state, number, value) !== 0) throw unsupported(`encoder setting ${number} = ${value}`)
  }
  heap.wasm.enc_get(state, request.lookahead, lookaheadAt)
  const gate = createGate()
  return {
    lookahead: heap.number(lookaheadAt),
    encode(pcm) {
      gate.check()
      if (pcm.length !== frame * channels) {
        throw new AppError('voice-bad-pcm', `A frame has ${pcm.length} samples, not ${frame * channels}`)
      }
      heap.samples(pcmAt, pcm.length).set(pcm)
      const length = heap.run((wasm) => wasm.opus_encode(state, pcmAt, frame, packetAt, maxPacketBytes))
      if (length < 0) throw new AppError('voice-bad-pcm', `Opus cannot encode this frame (${length})`)
      return heap.bytes(packetAt, length).slice()
    },
    reset: () => void heap.run((wasm) => wasm.enc_set(state, resetState, 0)),
    close: gate.close,
  }
}

function encoderSettings(options: OpusEncoderOptions): [number, number][] {
  return [
    [request.bitrate, options.bitrate ?? defaultBitrate(options.sampleRate, options.channels)],
    [request.complexity, options.complexity ?? 5],
    [request.fec, options.fec ? 1 : 0],
    [request.loss, options.expectedLossPct ?? 0],
    [request.dtx, options.dtx ? 1 : 0],
    [request.signal, signalVoice],
  ]
}

function defaultBitrate(sampleRate: number, channels: number): number {
  const mono = { 8_000: 16_000, 12_000: 20_000, 16_000: 24_000, 24_000: 32_000 }[sampleRate] ?? 48_000
  return channels === 1 ? mono : mono * 1.5
}

export interface OpusDecoder {
  /**
   * Samples × channels; fewer than `maxSamples` (of one channel) where the packet is shorter. voice-bad-packet for one
   * that is damaged, empty, too large or longer than `maxSamples`; the decoder stays usable.
   */
  decode(packet: Uint8Array, maxSamples: number): Int16Array
  /** Stands in for a lost packet: exactly `samples` of each channel, a multiple of 2.5 ms and 120 ms at most. */
  conceal(samples: number): Int16Array
  /** The lost packet as the one after it remembers it (voice.md §1); decode that one normally afterwards. */
  decodeFec(nextPacket: Uint8Array, samples: number): Int16Array
  /** A new utterance: nothing of the last one is heard in it. */
  reset(): void
  close(): void
}

/** `heap`: an instance to share with the encoder of the same session; by default one of its own. */
export function createOpusDecoder(
  options: { readonly sampleRate: number; readonly channels: number },
  heap: OpusHeap = loadOpus().open(),
): OpusDecoder {
  const { sampleRate, channels } = options
  checkRate(sampleRate, channels)
  const state = create(heap, (error) => heap.wasm.opus_decoder_create(sampleRate, channels, error))
  const capacity = (sampleRate * 120) / 1000
  const packetAt = heap.allocate(maxPacketBytes)
  const pcmAt = heap.allocate(capacity * channels * 2)
  const gate = createGate()

  /** Copies the packet in and answers how many samples it holds; nothing is decoded yet. */
  function admit(packet: Uint8Array): number {
    gate.check()
    const limit = Math.min(maxPacketBytes, byteLimit(packet))
    if (packet.length === 0 || packet.length > limit) {
      throw badPacket(`has ${packet.length} bytes, allowed are 1 to ${limit}`)
    }
    heap.bytes(packetAt, packet.length).set(packet)
    const samples = heap.run((wasm) => wasm.opus_packet_get_nb_samples(packetAt, packet.length, sampleRate))
    if (samples <= 0) throw badPacket(`has no valid frames (${samples})`)
    return samples
  }

  function decode(length: number, samples: number, fec: 0 | 1): Int16Array {
    const packet = length === 0 ? 0 : packetAt
    const count = heap.run((wasm) => wasm.opus_decode(state, packet, length, pcmAt, samples, fec))
    if (count < 0) throw badPacket(`cannot be decoded (${count})`)
    return heap.samples(pcmAt, count * channels).slice()
  }

  function checkGap(samples: number): void {
    const step = sampleRate / 400
    if (samples <= 0 || samples > capacity || samples % step !== 0) {
      throw badPacket(`of ${samples} samples cannot be replaced: 2.5 to 120 ms in steps of 2.5 ms`)
    }
  }

  return {
    decode(packet, maxSamples) {
      const samples = admit(packet)
      if (samples > maxSamples) throw badPacket(`holds ${samples} samples, allowed are ${maxSamples}`)
      return decode(packet.length, samples, 0)
    },
    conceal(samples) {
      gate.check()
      checkGap(samples)
      return decode(0, samples, 0)
    },
    decodeFec(nextPacket, samples) {
      checkGap(samples)
      admit(nextPacket)
      return decode(nextPacket.length, samples, 1)
    },
    reset: () => void heap.run((wasm) => wasm.dec_set(state, resetState, 0)),
    close: gate.close,
  }
}

/** A frame has 1275 bytes at most; how many there are is in the first bytes (RFC 6716 §3.2). */
function byteLimit(packet: Uint8Array): number {
  const code = (packet[0] ?? 0) & 3
  const frames = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 63
  // The first byte, the count, and up to two length bytes a frame.
  return 2 + frames * (maxFrameBytes + 2)
}

function create(heap: OpusHeap, call: (error: number) => number): number {
  const error = heap.allocate(4)
  const state = heap.run(() => call(error))
  if (state === 0) throw unsupported(`codec state (${heap.number(error)})`)
  return state
}

function checkRate(sampleRate: number, channels: number): void {
  if (!rates.includes(sampleRate)) throw unsupported(`${sampleRate} Hz`)
  if (channels !== 1 && channels !== 2) throw unsupported(`${channels} channels`)
}

function createGate() {
  let closed = false
  return {
    check() {
      if (closed) throw new AppError('voice-codec-stopped', 'This codec was closed')
    },
    close: () => void (closed = true),
  }
}

const unsupported = (what: string) => new AppError('iotta-unsupported-codec', `Opus has no ${what}`)
const badPacket = (what: string) => new AppError('voice-bad-packet', `The Opus packet ${what}`)
