import { z } from 'zod'

/** What is wrong in one place of a file of measurements; `line` from 1, `column` as the file calls it. */
export const ReplayFault = z.object({
  line: z.number().int(),
  column: z.string(),
  code: z.enum(['no-time', 'bad-time', 'time-back', 'unknown-column', 'twice', 'bad-value', 'no-values']),
  /** The text of the cell, cut. */
  found: z.string(),
  /** What a value must be, in words that follow the name of the property; empty for the rest. */
  wanted: z.string(),
})
export type ReplayFault = z.infer<typeof ReplayFault>

/** A recording that a simulated Thing plays. Times in ms from its first row. */
export const ThingReplay = z.object({
  file: z.string(),
  rows: z.number().int(),
  lengthMs: z.number(),
  atMs: z.number(),
  speed: z.number(),
  state: z.enum(['playing', 'paused', 'ended']),
})
export type ThingReplay = z.infer<typeof ThingReplay>

export const replaySpeeds = [1, 2, 5, 10, 30, 60] as const

/** `atMs` seeks. `stop` takes the recording away; the Thing keeps its last values. */
export const ReplayOrder = z.object({
  action: z.enum(['play', 'pause', 'stop']),
  atMs: z.number().min(0).optional(),
  speed: z.number().min(1).max(60).optional(),
})
export type ReplayOrder = z.infer<typeof ReplayOrder>
