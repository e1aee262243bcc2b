import { z } from 'zod'
import { ThingReplay } from './thing-replay.ts'
import { ChangeLevel } from './tool-registry.ts'
import { DangerClass, SpokenNames } from './tool.ts'

// A Thing is drawn once; tools, descriptors and code are made from it. Names are identifiers that every target accepts.

export const ThingIdent = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/)

const names = SpokenNames.default({ en: [], zh: [] })
const described = { description: z.string().max(500).default(''), names }

/** `integer` and `number` have a range; `string` is free text or, with `values`, one of a list. */
const value = {
  type: z.enum(['boolean', 'integer', 'number', 'string']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  step: z.number().positive().optional(),
  /** A UCUM-like short text: `Cel`, `%`, `min`. */
  unit: z.string().max(16).optional(),
  values: z.array(z.string().min(1).max(40)).max(32).optional(),
  valueNames: z.record(z.string(), SpokenNames).default({}),
}

export const ThingParam = z.object({ name: ThingIdent, ...described, ...value })
export type ThingParam = z.infer<typeof ThingParam>

export const ThingValue = z.union([z.boolean(), z.number(), z.string().max(500)])
export type ThingValue = z.infer<typeof ThingValue>

export const ThingProperty = ThingParam.extend({
  access: z.enum(['read', 'write', 'read-write']),
  initial: ThingValue.nullable().default(null),
})
export type ThingProperty = z.infer<typeof ThingProperty>

/** `sets`: what a call changes, so that a simulator can play it: property ← parameter name or a fixed value. */
export const ThingMethod = z.object({
  name: ThingIdent,
  ...described,
  params: z.array(ThingParam).max(16),
  danger: DangerClass.default('physical'),
  sets: z.record(ThingIdent, z.union([z.object({ param: ThingIdent }), z.object({ value: ThingValue })])).default({}),
})
export type ThingMethod = z.infer<typeof ThingMethod>

/** `announce`: what the board says when it happens, with {name} of a parameter; null: it is only kept. */
export const ThingEvent = z.object({
  name: ThingIdent,
  ...described,
  params: z.array(ThingParam).max(8),
  announce: z
    .object({ en: z.string().max(200), zh: z.string().max(200) })
    .nullable()
    .default(null),
})
export type ThingEvent = z.infer<typeof ThingEvent>

/** `role` as the template names it ("data", "relay"); `gpio` null while nobody chose one. */
export const ThingPin = z.object({ role: z.string().max(24), gpio: z.number().int().min(0).max(48).nullable() })
export type ThingPin = z.infer<typeof ThingPin>

export const ThingModel = z.object({
  title: z.object({ en: z.string().max(60), zh: z.string().max(60) }),
  ...described,
  template: z.string().max(40).nullable().default(null),
  properties: z.array(ThingProperty).max(40),
  methods: z.array(ThingMethod).max(40),
  events: z.array(ThingEvent).max(20),
  wiring: z
    .object({ board: z.string().max(60).nullable(), pins: z.array(ThingPin).max(16) })
    .nullable()
    .default(null),
  /** Generated tools that are not offered to a voice, by member: `set:power`, `get:power`, `call:blink`. */
  hidden: z.array(z.string()).max(100).default([]),
})
export type ThingModel = z.infer<typeof ThingModel>

export const ThingVersion = z.object({
  name: ThingIdent,
  version: z.number().int().min(1),
  model: ThingModel,
  author: z.string(),
  note: z.string(),
  basedOn: z.number().int().nullable(),
  publishedAt: z.number(),
  /** Only these devices have it yet; empty: all that are bound to the Thing. */
  canary: z.array(z.string()),
  /** `name@version` of each tool that it became, by member (`set:power`). */
  tools: z.record(z.string(), z.string()),
})
export type ThingVersion = z.infer<typeof ThingVersion>

export const ThingDraft = z.object({
  id: z.string(),
  name: ThingIdent,
  author: z.string(),
  basedOn: z.number().int().nullable(),
  revision: z.number().int(),
  model: ThingModel,
  updatedAt: z.number(),
})
export type ThingDraft = z.infer<typeof ThingDraft>

/** What a publish would change. `path`: `properties/temperature/maximum`. */
export const ThingChange = z.object({
  level: ChangeLevel,
  path: z.string(),
  code: z.string(),
  before: z.unknown(),
  after: z.unknown(),
})
export type ThingChange = z.infer<typeof ThingChange>

/** `path` names the member; `detail` fills the message of `code`. */
export const ThingProblem = z.object({
  severity: z.enum(['error', 'warning', 'hint']),
  code: z.string(),
  path: z.string(),
  detail: z.record(z.string(), z.union([z.string(), z.number()])),
})
export type ThingProblem = z.infer<typeof ThingProblem>

export const PreviewKind = z.enum([
  'legacy-descriptor',
  'mcp-tools',
  'esp-thing',
  'esp-mcp-server',
  'iotta-c',
  'uart-mcp',
])
export type PreviewKind = z.infer<typeof PreviewKind>

/** One output made from the model. `losses`: what this target cannot express, never left out in silence. */
export const ThingPreview = z.object({
  kind: PreviewKind,
  files: z.array(z.object({ name: z.string(), language: z.enum(['json', 'cpp', 'c', 'text']), text: z.string() })),
  losses: z.array(ThingProblem),
})
export type ThingPreview = z.infer<typeof ThingPreview>

/** Where the Thing lives: simulated in the server, on the board's own tool channel, or behind a serial port. */
export const ThingHome = z.enum(['simulated', 'board', 'uart'])
export type ThingHome = z.infer<typeof ThingHome>

export const ThingBinding = z.object({
  id: z.string(),
  thing: ThingIdent,
  deviceId: z.string(),
  home: ThingHome,
  /** Null: the newest that is for this device. */
  pin: z.number().int().nullable(),
})
export type ThingBinding = z.infer<typeof ThingBinding>

/** `at`: when the value was last confirmed, ms since epoch; `pending`: a write that was sent and is not confirmed. */
export const ThingReading = z.object({
  value: ThingValue.nullable(),
  at: z.number().nullable(),
  pending: ThingValue.nullable(),
})
export type ThingReading = z.infer<typeof ThingReading>

export const ThingOccurrence = z.object({
  at: z.number(),
  event: ThingIdent,
  params: z.record(z.string(), ThingValue),
  announced: z.boolean(),
})
export type ThingOccurrence = z.infer<typeof ThingOccurrence>

/** How a simulated Thing misbehaves: all calls late by `delayMs`, every call failing, or silent until the time-out. */
export const SimulatedFault = z.object({
  delayMs: z.number().int().min(0).max(30_000),
  failure: z.enum(['none', 'error', 'silent']),
})
export type SimulatedFault = z.infer<typeof SimulatedFault>

/** A Thing at work, sent whole at every change. */
export const ThingLive = z.object({
  binding: ThingBinding,
  version: z.number().int(),
  model: ThingModel,
  reachable: z.boolean(),
  readings: z.record(z.string(), ThingReading),
  occurrences: z.array(ThingOccurrence).max(50),
  fault: SimulatedFault.nullable(),
  /** The recording that a simulated one plays. */
  replay: ThingReplay.nullable(),
  /** The trace of its calls, newest last: what a simulator, a board and a microcontroller must share. */
  calls: z
    .array(
      z.object({ at: z.number(), tool: z.string(), arguments: z.record(z.string(), z.unknown()), result: z.unknown() }),
    )
    .max(50),
})
export type ThingLive = z.infer<typeof ThingLive>

export const ThingSummary = z.object({
  name: ThingIdent,
  title: z.object({ en: z.string(), zh: z.string() }),
  template: z.string().nullable(),
  published: z.number().int().nullable(),
  drafts: z.number().int(),
  bindings: z.number().int(),
  members: z.number().int(),
})
export type ThingSummary = z.infer<typeof ThingSummary>
