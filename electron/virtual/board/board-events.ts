import { z } from 'zod'

/** What a virtual board tells its owner, as it happens; the same lines that `roost board` prints. */
export type BoardEvent =
  | { event: 'provisioned'; id: string; expires: string }
  | { event: 'pending'; id: string; code: string }
  | { event: 'refused'; id: string; status: number; code: string; message: string }
  | { event: 'unreachable'; id: string; message: string }
  | { event: 'session'; id: string; session: string }
  | { event: 'tools'; id: string }
  | { event: 'closed'; id: string; channel: 'session' | 'tools'; code: number; reason: string }
  | { event: 'state'; id: string; state: 'offline' | 'idle' | 'listening' | 'thinking' | 'speaking' }
  | { event: 'vad'; id: string; state: string }
  | { event: 'stt'; id: string; text: string; final: boolean }
  | { event: 'tts'; id: string; state: string; text?: string }
  | { event: 'tool'; id: string; name: string; arguments: unknown; answer: unknown }
  | { event: 'control'; id: string; action: string }
  | { event: 'error'; id: string; code: string; message: string; fatal: boolean }
  | { event: 'telemetry'; id: string; status: number }
  | ({ event: 'turn'; id: string } & BoardTurn)

export interface BoardTurn {
  readonly said: string
  readonly text: string
  readonly reply: string
  /** Last spoken sample sent → first frame of the reply received, ms; null when there was no reply or no speech. */
  readonly first_audio_ms: number | null
  readonly frames: number
  readonly late: number
  readonly level: number
  readonly audio_ms: number
}

const Format = z.object({
  codec: z.enum(['opus', 'pcm']),
  sample_rate: z.number(),
  channels: z.number(),
  frame_duration: z.number(),
})

/** A tolerant reader: unknown types and fields are ignored (iotta-protocol §3). */
export const FromServer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    session_id: z.string(),
    input_audio: Format.optional(),
    output_audio: Format.optional(),
    server_time: z.number().optional(),
  }),
  z.object({ type: z.literal('vad'), state: z.string() }),
  z.object({ type: z.literal('stt'), text: z.string(), final: z.boolean() }),
  z.object({ type: z.literal('processing'), stage: z.string().optional() }),
  z.object({ type: z.literal('tts'), state: z.string(), text: z.string().optional() }),
  z.object({ type: z.literal('context'), data: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('control'), action: z.string() }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string(), fatal: z.boolean() }),
])
export type FromServer = z.infer<typeof FromServer>

export function parseFromServer(text: string): FromServer | undefined {
  try {
    return FromServer.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
