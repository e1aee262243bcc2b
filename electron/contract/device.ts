import { z } from 'zod'

/** 1–64 of `[A-Za-z0-9:_-]`, compared in lower case (iotta-protocol §1.1, §2). */
export const DeviceId = z
  .string()
  .regex(/^[A-Za-z0-9:_-]{1,64}$/)
  .transform((id) => id.toLowerCase())
  .brand('DeviceId')
export type DeviceId = z.infer<typeof DeviceId>

export const Firmware = z.object({ name: z.string().min(1).max(64), version: z.string().min(1).max(64) })
export type Firmware = z.infer<typeof Firmware>

export const Codec = z.enum(['opus', 'pcm'])
export type Codec = z.infer<typeof Codec>

/** One direction of a session's sound. Frames are mono or interleaved stereo; `frameDuration` in ms. */
export const AudioFormat = z.object({
  codec: Codec,
  sampleRate: z.union([z.literal(8000), z.literal(12000), z.literal(16000), z.literal(24000), z.literal(48000)]),
  channels: z.union([z.literal(1), z.literal(2)]),
  frameDuration: z.union([z.literal(20), z.literal(40), z.literal(60)]),
})
export type AudioFormat = z.infer<typeof AudioFormat>

/** The words of iotta-protocol §3.1, and `offline` for a board without a session. */
export const SessionPhase = z.enum(['connecting', 'idle', 'listening', 'thinking', 'speaking'])
export type SessionPhase = z.infer<typeof SessionPhase>
export const DeviceState = z.enum(['offline', ...SessionPhase.options])
export type DeviceState = z.infer<typeof DeviceState>

/** Evidence of life, strongest first (ux.md B6). Ages are computed by the server: a page never compares clocks. */
export const Presence = z.object({
  online: z.boolean(),
  evidence: z.enum(['session', 'tools', 'telemetry', 'provision', 'none']),
  ageMs: z.number().nullable(),
})
export type Presence = z.infer<typeof Presence>

export const EnrolmentWay = z.enum(['claim', 'token', 'window', 'approval'])
export type EnrolmentWay = z.infer<typeof EnrolmentWay>

export const Device = z.object({
  id: z.string(),
  name: z.string(),
  board: z.string(),
  firmware: Firmware,
  state: DeviceState,
  presence: Presence,
  toolChannel: z.boolean(),
  virtual: z.boolean(),
  blocked: z.boolean(),
  enrolledBy: EnrolmentWay,
  address: z.string().nullable(),
  /** `loopback` is plain but cannot leave this machine. */
  security: z.enum(['tls', 'loopback']).nullable(),
  sessionSince: z.number().nullable(),
  createdAt: z.number(),
  lastSeenAt: z.number().nullable(),
  rssiDbm: z.number().nullable(),
  heapFreeBytes: z.number().nullable(),
  replyMs: z.number().nullable(),
  /** Counters of the running session: frames that came at the wrong time or could not be decoded, and the like. */
  counters: z.record(z.string(), z.number()),
  notice: z.string().nullable(),
})
export type Device = z.infer<typeof Device>

/** A board that asks to join (iotta-protocol §2 d). `duplicates`: how many others claim the same id right now. */
export const PendingBoard = z.object({
  code: z.string(),
  deviceId: z.string(),
  board: z.string(),
  firmware: Firmware,
  address: z.string(),
  ageMs: z.number(),
  expiresInMs: z.number(),
  knownDevice: z.boolean(),
  duplicates: z.number().int(),
})
export type PendingBoard = z.infer<typeof PendingBoard>
