import { z } from 'zod'
import { ToolCall } from './tool.ts'

export const StageName = z.enum(['vad', 'asr', 'llm', 'tool', 'tts'])
export type StageName = z.infer<typeof StageName>

/** One span of a turn (architecture §4). Times are ms since epoch with fractions; `endedAt` null while it runs. */
export const Stage = z.object({
  stage: StageName,
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  error: z.string().nullable(),
})
export type Stage = z.infer<typeof Stage>

export const TurnSource = z.enum(['voice', 'typed', 'announcement'])
export type TurnSource = z.infer<typeof TurnSource>

export const announcedKinds = ['announcement', 'reminder', 'alarm', 'timer', 'action', 'event', 'music'] as const
/**
 * What a board says without being spoken to. `by`: a person in the console, a board that was spoken to (`name`: its
 * name), an outside program, a Thing, or the clock alone.
 */
export const Announced = z.object({
  kind: z.enum(announcedKinds),
  by: z.object({ kind: z.enum(['person', 'board', 'program', 'thing', 'clock']), name: z.string() }),
})
export type Announced = z.infer<typeof Announced>

/** `talk`: somebody spoke or typed; else what the board said by itself. */
export const TurnKind = z.enum(['talk', ...announcedKinds])
export type TurnKind = z.infer<typeof TurnKind>

/** `mute`: no speech was heard. `aborted`: the board or a person stopped it, or a new utterance came. */
export const TurnStatus = z.enum(['running', 'done', 'aborted', 'failed', 'mute'])
export type TurnStatus = z.infer<typeof TurnStatus>

export const Turn = z.object({
  id: z.string(),
  sessionId: z.string(),
  deviceId: z.string(),
  deviceName: z.string(),
  agent: z.string(),
  source: TurnSource,
  /** Of an announcement; those of an older server have none. */
  announced: Announced.optional(),
  status: TurnStatus,
  language: z.enum(['en', 'zh']),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  userText: z.string(),
  userTextFinal: z.boolean(),
  confidence: z.number().nullable(),
  replyText: z.string(),
  toolsOffered: z.array(z.string()),
  calls: z.array(ToolCall),
  stages: z.array(Stage),
  /** End of speech on the server's clock; null for typed turns and while it is not known. */
  speechEndedAt: z.number().nullable(),
  /** First downlink frame handed to the socket. */
  firstFrameAt: z.number().nullable(),
  /** The headline: firstFrameAt − speechEndedAt (typed turns: − startedAt). Null = not reported, never 0. */
  replyMs: z.number().nullable(),
  audioMs: z.number().nullable(),
  /** Why something is missing, as error codes: `voice-no-voice`, `voice-recogniser-missing`, … */
  notes: z.array(z.string()),
  errorCode: z.string().nullable(),
})
export type Turn = z.infer<typeof Turn>

export function turnKind(turn: Pick<Turn, 'source' | 'announced'>): TurnKind {
  return turn.source === 'announcement' ? (turn.announced?.kind ?? 'announcement') : 'talk'
}

/** A turn that runs is sent whole at every change; `revision` only grows. Stored turns have the last one. */
export const TurnEvent = z.object({ revision: z.number().int(), turn: Turn })
export type TurnEvent = z.infer<typeof TurnEvent>

export const TurnPage = z.object({ turns: z.array(Turn), total: z.number().int(), next: z.string().nullable() })
export type TurnPage = z.infer<typeof TurnPage>
