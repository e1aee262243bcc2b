import { z } from 'zod'

/** Where a text goes that is put to the model. `here`: this machine. `lan`: a private network. `internet`: anywhere else. */
export const ModelReach = z.enum(['here', 'lan', 'internet'])
export type ModelReach = z.infer<typeof ModelReach>

/** What a person sets. `key`: null keeps the stored one (of the same address), an empty text removes it. */
export const ModelInput = z.object({
  enabled: z.boolean(),
  /** As the program that serves the model tells it: `http://127.0.0.1:11434/v1`. */
  address: z.string().trim().max(500),
  model: z.string().trim().max(200),
  key: z.string().trim().max(500).nullable(),
  /** A sentence that the rules understand for sure is answered at once, without the model. */
  rulesFirst: z.boolean(),
})
export type ModelInput = z.infer<typeof ModelInput>

/** The key itself never leaves the server. */
export const ModelStatus = ModelInput.omit({ key: true }).extend({
  hasKey: z.boolean(),
  /** Null while no address is set. */
  host: z.string().nullable(),
  reach: ModelReach.nullable(),
  /** Plain http: who is on the way can read along. */
  encrypted: z.boolean(),
  /** Error code of the newest request, null when it went well or none was made. */
  problem: z.string().nullable(),
})
export type ModelStatus = z.infer<typeof ModelStatus>

/** One thing that a test found out. `ms` since the request was sent; `code` when it failed. */
export const ModelTestStep = z.object({
  step: z.enum(['first-token', 'answer', 'tool-call']),
  ms: z.number(),
  code: z.string().nullable(),
  /** What the model said or called: data, shown as it is. */
  detail: z.string(),
})
export type ModelTestStep = z.infer<typeof ModelTestStep>

/** What the model would do with one sentence: nothing of it is run. */
export const ModelAnswer = z.object({
  phrase: z.string(),
  language: z.enum(['en', 'zh']),
  chosen: z.string().nullable(),
  arguments: z.record(z.string(), z.unknown()).nullable(),
  /** It chose the tool that was asked about. */
  hit: z.boolean(),
  /** The arguments fit the schema; null when it chose no tool. */
  fits: z.boolean().nullable(),
  said: z.string(),
  ms: z.number(),
  /** Why there is no answer. */
  code: z.string().nullable(),
})
export type ModelAnswer = z.infer<typeof ModelAnswer>
