import { z } from 'zod'
import { AppError } from '../../base/app-error.ts'
import { isDeeperThan } from '../../base/json-depth.ts'
import type { AudioFormat } from '../../contract/device.ts'
import type { AudioOffer } from './negotiation.ts'

// Both directions of the session channel (iotta-protocol.md §3). Wire names end here.

export const maxTextBytes = 64 * 1024
export const maxDepth = 32
export const maxOpusBytes = 4 * 1024
export const maxPcmBytes = 16 * 1024
const maxContextBytes = 8 * 1024

/** Values are checked by the negotiation: a wrong rate is `unsupported_codec`, not a broken message. */
const Audio = z
  .object({
    codecs: z.array(z.string()).max(16).default(['opus']),
    sample_rate: z.number().default(16_000),
    channels: z.number().default(1),
    frame_duration: z.number().default(60),
  })
  .transform((audio): AudioOffer => ({
    codecs: audio.codecs,
    sampleRate: audio.sample_rate,
    channels: audio.channels,
    frameDuration: audio.frame_duration,
  }))

const Data = z
  .record(z.string(), z.unknown())
  .refine((data) => Buffer.byteLength(JSON.stringify(data)) <= maxContextBytes, 'more than 8 KiB')

export const Hello = z.object({
  type: z.literal('hello'),
  audio: Audio,
  output: Audio.optional(),
  features: z.record(z.string(), z.boolean()).optional(),
  locale: z.string().max(35).optional(),
})
export const Listen = z.object({
  type: z.literal('listen'),
  state: z.enum(['start', 'stop']),
  context: Data.optional(),
})
export const Abort = z.object({ type: z.literal('abort'), reason: z.string().max(1000).optional() })
export const Context = z.object({ type: z.literal('context'), data: Data })

const FromDeviceMessage = z.discriminatedUnion('type', [Hello, Listen, Abort, Context])
export type Hello = z.infer<typeof Hello>
export type FromDevice = z.infer<typeof FromDeviceMessage> | { readonly type: 'unknown'; readonly name: string }

const known = new Set<string>(['hello', 'listen', 'abort', 'context'])
const Envelope = z.object({ type: z.string().min(1).max(64) })

/** What breaks a limit closes the channel (1009); what breaks the schema is answered and dropped. */
export type TextVerdict =
  | { readonly ok: true; readonly message: FromDevice }
  | { readonly ok: false; readonly reason: 'too-large' | 'bad-message'; readonly detail: string }

/** The edge: nothing behind this call sees an unchecked value. Unknown keys are dropped, unknown types named. */
export function parseFromDevice(text: string): TextVerdict {
  if (Buffer.byteLength(text) > maxTextBytes) return tooLarge('more than 64 KiB of JSON')
  if (isDeeperThan(text, maxDepth)) return tooLarge('JSON nested deeper than 32')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return badMessage('not JSON')
  }
  const envelope = Envelope.safeParse(value)
  if (!envelope.success) return badMessage(firstIssue(envelope.error))
  if (!known.has(envelope.data.type)) return { ok: true, message: { type: 'unknown', name: envelope.data.type } }
  const parsed = FromDeviceMessage.safeParse(value)
  return parsed.success ? { ok: true, message: parsed.data } : badMessage(firstIssue(parsed.error))
}

function tooLarge(detail: string): TextVerdict {
  return { ok: false, reason: 'too-large', detail }
}

function badMessage(detail: string): TextVerdict {
  return { ok: false, reason: 'bad-message', detail }
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.') || 'message'}: ${issue.message}`.slice(0, 200) : 'broken message'
}

const WireAudio = z.strictObject({
  codec: z.enum(['opus', 'pcm']),
  sample_rate: z.number().int(),
  channels: z.number().int(),
  frame_duration: z.number().int(),
})

export const WireErrorCode = z.enum([
  'bad_message',
  'bad_audio',
  'unsupported_codec',
  'token_expiring',
  'asr_failed',
  'llm_failed',
  'tts_failed',
  'tool_failed',
  'busy',
  'slow_consumer',
  'internal',
])
export type WireErrorCode = z.infer<typeof WireErrorCode>

const ToDeviceMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    session_id: z.string(),
    input_audio: WireAudio,
    output_audio: WireAudio,
    server_time: z.number().int(),
  }),
  z.strictObject({ type: z.literal('vad'), state: z.enum(['speech_start', 'speech_end']) }),
  z.strictObject({ type: z.literal('stt'), text: z.string(), final: z.boolean() }),
  z.strictObject({ type: z.literal('processing'), stage: z.enum(['llm', 'tool']).optional() }),
  z.strictObject({
    type: z.literal('tts'),
    state: z.enum(['start', 'sentence_start', 'sentence_end', 'stop']),
    text: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('context'), data: z.record(z.string(), z.unknown()) }),
  z.strictObject({ type: z.literal('control'), action: z.enum(['reboot', 'identify']) }),
  z.strictObject({ type: z.literal('error'), code: WireErrorCode, message: z.string(), fatal: z.boolean() }),
])
export type ToDevice = z.infer<typeof ToDeviceMessage>

/** Strict writer: a field that the protocol does not have is a fault of ours. Throws iotta-internal. */
export function encodeToDevice(message: ToDevice): string {
  const checked = ToDeviceMessage.safeParse(message)
  if (checked.success) return JSON.stringify(checked.data)
  throw new AppError('iotta-internal', `A message to the board breaks the protocol: ${firstIssue(checked.error)}`)
}

export function wireAudio(format: AudioFormat): z.infer<typeof WireAudio> {
  return {
    codec: format.codec,
    sample_rate: format.sampleRate,
    channels: format.channels,
    frame_duration: format.frameDuration,
  }
}
