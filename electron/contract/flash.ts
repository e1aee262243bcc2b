import { z } from 'zod'

/** What `roost image` and the console say about a file. Sizes and offsets in bytes. */
export const ImageProblem = z.object({ code: z.string(), message: z.string(), fatal: z.boolean() })
export type ImageProblem = z.infer<typeof ImageProblem>

export const PartitionRow = z.object({
  label: z.string(),
  type: z.number().int(),
  subtype: z.number().int(),
  offset: z.number().int(),
  size: z.number().int(),
  encrypted: z.boolean(),
  readOnly: z.boolean(),
})
export type PartitionRow = z.infer<typeof PartitionRow>

export const ImageKind = z.enum(['merged', 'app', 'bootloader', 'partition-table', 'elf', 'unknown'])
export type ImageKind = z.infer<typeof ImageKind>

export const ImageInfo = z.object({
  kind: ImageKind,
  size: z.number().int(),
  sha256: z.string(),
  chip: z.string().nullable(),
  chipId: z.number().int().nullable(),
  flashSize: z.number().int().nullable(),
  flashMode: z.string().nullable(),
  minRevision: z.number().int().nullable(),
  maxRevision: z.number().int().nullable(),
  project: z.string().nullable(),
  version: z.string().nullable(),
  idfVersion: z.string().nullable(),
  built: z.string().nullable(),
  elfSha256: z.string().nullable(),
  partitions: z.array(PartitionRow),
  problems: z.array(ImageProblem),
})
export type ImageInfo = z.infer<typeof ImageInfo>

/** The steps of one lane, in order. `proved` is the only green end; `written` ends a flash without a server. */
export const LanePhase = z.enum([
  'waiting',
  'detect',
  'security',
  'compare',
  'erase',
  'write',
  'verify',
  'reset',
  'banner',
  'provision',
  'hello',
])
export type LanePhase = z.infer<typeof LanePhase>

export const BoardFacts = z.object({
  chip: z.string(),
  revision: z.string(),
  mac: z.string(),
  flashSize: z.number().int(),
  flashId: z.string(),
  psram: z.string().nullable(),
})
export type BoardFacts = z.infer<typeof BoardFacts>

export const LaneResult = z.enum(['proved', 'written', 'failed'])
export type LaneResult = z.infer<typeof LaneResult>

/** What the console draws of one lane. Revisions and ages come from the job that owns it. */
export const Lane = z.object({
  port: z.string(),
  phase: LanePhase,
  result: LaneResult.nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  board: BoardFacts.nullable(),
  bytesDone: z.number().int(),
  bytesTotal: z.number().int(),
  bytesPerSecond: z.number().nullable(),
  baud: z.number().int().nullable(),
  degraded: z.boolean(),
  retries: z.number().int(),
  sha256: z.string().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
})
export type Lane = z.infer<typeof Lane>

export const PortInfo = z.object({
  path: z.string(),
  vendorId: z.string().nullable(),
  productId: z.string().nullable(),
  serialNumber: z.string().nullable(),
  manufacturer: z.string().nullable(),
  /** Bus and hub ports, such as `1-2.3`: the same socket keeps it whatever is plugged in. */
  hubPath: z.string().nullable(),
  virtual: z.boolean(),
  usable: z.boolean(),
  /** An error code when it is not usable. */
  reason: z.string().nullable(),
})
export type PortInfo = z.infer<typeof PortInfo>
