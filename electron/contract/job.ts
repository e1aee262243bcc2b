import { z } from 'zod'
import { Lane } from './flash.ts'

/** `parked`: the server stopped while it ran; it says so after the restart and can be retried. */
export const JobState = z.enum(['running', 'done', 'failed', 'cancelled', 'parked'])
export type JobState = z.infer<typeof JobState>

export const JobKind = z.enum(['flash', 'try-without-board'])
export type JobKind = z.infer<typeof JobKind>

export const JobLine = z.object({ at: z.number(), source: z.enum(['job', 'board', 'chip']), text: z.string() })
export type JobLine = z.infer<typeof JobLine>

/** Every operation over 2 s is one of these: owned by the server, so it survives a reload (ux.md B1). */
export const Job = z.object({
  id: z.string(),
  kind: JobKind,
  title: z.string(),
  state: JobState,
  /** 0–1, or null when the end is not known. */
  progress: z.number().min(0).max(1).nullable(),
  lanes: z.array(Lane),
  /** Set once a board came out of it. */
  deviceId: z.string().nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  retryable: z.boolean(),
})
export type Job = z.infer<typeof Job>

export const JobEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('snapshot'), revision: z.number().int(), jobs: z.array(Job) }),
  z.object({ type: z.literal('changed'), revision: z.number().int(), job: Job }),
])
export type JobEvent = z.infer<typeof JobEvent>
