import { z } from 'zod'

// UART-MCP (the Ai-Thinker serial protocol): what the bridge, the bench and the console exchange about it.

/** `bridge`: we are the voice board, a microcontroller's tools are called by voice. `board`/`mcu`: the bench plays that side. `listen`: nothing is sent. */
export const UartRole = z.enum(['bridge', 'board', 'mcu', 'listen'])
export type UartRole = z.infer<typeof UartRole>

export const UartSide = z.enum(['board', 'mcu'])
export type UartSide = z.infer<typeof UartSide>

/** One broken rule: `rule` is a stable code, `byte` the offset in the line where it breaks, from 0. */
export const UartFault = z.object({
  rule: z.string(),
  byte: z.number().int(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
})
export type UartFault = z.infer<typeof UartFault>

/** A line as it crossed the wire. `raw`: base64, with its line end. `turnId`: the turn whose call it carries or answers. */
export const UartLine = z.object({
  seq: z.number().int(),
  at: z.number(),
  from: UartSide,
  raw: z.string(),
  text: z.string(),
  /** `call`, `query`, `answer`, `tools`, `status`, `subtitle`, `volume`, `wake-up`, `baud`, `unknown`, `injected`, … */
  kind: z.string(),
  /** A short decoded sentence without markup, e.g. `ACSwitch enabled=true`. */
  decoded: z.string(),
  faults: z.array(UartFault),
  turnId: z.string().nullable(),
  /** For an answer: ms since the call that it answers. */
  latencyMs: z.number().nullable(),
})
export type UartLine = z.infer<typeof UartLine>

/** What happens to lines that we send: for lessons and for tests of the other side. */
export const UartFaultPlan = z.object({
  delayMs: z.number().int().min(0).max(10_000),
  dropEvery: z.number().int().min(0).max(1000),
  corruptEvery: z.number().int().min(0).max(1000),
  noLineEnd: z.boolean(),
  /** Each so many lines, one is sent after the line that follows it, or a second later when none does. */
  reorderEvery: z.number().int().min(0).max(1000).optional(),
})
export type UartFaultPlan = z.infer<typeof UartFaultPlan>

export const UartTool = z.object({
  name: z.string(),
  description: z.string(),
  properties: z.record(z.string(), z.object({ type: z.string(), description: z.string() })),
  /** Error code when it cannot be called: a reserved name, a double name, a type that is none. */
  problem: z.string().nullable(),
})
export type UartTool = z.infer<typeof UartTool>

export const UartSession = z.object({
  id: z.string(),
  port: z.string(),
  virtual: z.boolean(),
  role: UartRole,
  baud: z.number().int(),
  state: z.enum(['opening', 'open', 'closed', 'failed']),
  errorCode: z.string().nullable(),
  /** The device that a bridged microcontroller is. */
  deviceId: z.string().nullable(),
  bothSeen: z.boolean(),
  volume: z.number().int().min(0).max(100),
  awake: z.boolean(),
  tools: z.array(UartTool),
  lines: z.number().int(),
  errors: z.number().int(),
  timeouts: z.number().int(),
  lateAnswers: z.number().int(),
  p50Ms: z.number().nullable(),
  recording: z.boolean(),
  faultPlan: UartFaultPlan,
  /** What the wire looks like: `uart-baud-guess`, `uart-silent-line`, … with the figure in `detail`. */
  hints: z.array(z.object({ code: z.string(), detail: z.string() })),
})
export type UartSession = z.infer<typeof UartSession>

export const UartEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sessions'), sessions: z.array(UartSession) }),
  z.object({ type: z.literal('lines'), id: z.string(), lines: z.array(UartLine) }),
])
export type UartEvent = z.infer<typeof UartEvent>

/** A scripted expectation: send (or wait), then expect a line that holds all of `fields` within `withinMs`. */
export const UartStep = z.object({
  title: z.string().max(80),
  send: z.string().max(8192).nullable(),
  expect: z
    .object({
      from: UartSide,
      kind: z.string(),
      fields: z.record(z.string(), z.unknown()),
      withinMs: z.number().int().min(1).max(60_000),
    })
    .nullable(),
})
export type UartStep = z.infer<typeof UartStep>
export const UartStepResult = z.object({
  title: z.string(),
  passed: z.boolean(),
  message: z.string(),
  line: z.number().int().nullable(),
})
export type UartStepResult = z.infer<typeof UartStepResult>
