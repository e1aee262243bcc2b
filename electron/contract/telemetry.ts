import { z } from 'zod'

/** Known metrics are rows of metrics.json, with unit and label (iotta-protocol §5); unknown names are kept too. */
export const MetricName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/)

export const Sample = z.object({ at: z.number(), value: z.number() })
export type Sample = z.infer<typeof Sample>

/** One drawn column: spikes survive thinning because each holds its own minimum and maximum. `count` 0 never occurs. */
export const SampleColumn = z.object({
  at: z.number(),
  min: z.number(),
  max: z.number(),
  mean: z.number(),
  count: z.number().int(),
})
export type SampleColumn = z.infer<typeof SampleColumn>

export const Series = z.object({
  deviceId: z.string(),
  metric: z.string(),
  from: z.number(),
  to: z.number(),
  columns: z.array(SampleColumn),
})
export type Series = z.infer<typeof Series>

export const BoardEvent = z.object({
  deviceId: z.string(),
  at: z.number(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  code: z.string(),
  message: z.string(),
})
export type BoardEvent = z.infer<typeof BoardEvent>

export const TelemetryTail = z.object({
  deviceId: z.string(),
  at: z.number(),
  metrics: z.record(z.string(), z.number()),
})
export type TelemetryTail = z.infer<typeof TelemetryTail>
