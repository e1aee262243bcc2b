import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../base/app-error.ts'
import type { PartFile } from './flasher-message.ts'

/**
 * A plan for `roost flash --plan`:
 *
 *     { "version": 1,
 *       "parts": [ { "file": "bootloader.bin", "offset": "0x0" },
 *                  { "file": "partitions.bin", "offset": 32768 },
 *                  { "file": "app.bin" },
 *                  { "file": "assets.bin", "offset": "0x800000", "raw": true, "sha256": "…" } ],
 *       "fixHeader": false }
 *
 * Files are relative to the plan. Without an offset a part goes where its kind belongs; `raw` writes a data file as it is.
 */
const Offset = z.union([
  z.number().int().min(0),
  z
    .string()
    .regex(/^(0x[0-9a-fA-F]{1,8}|\d{1,10})$/)
    .transform(Number),
])
const PlanFile = z.strictObject({
  version: z.literal(1),
  parts: z
    .array(
      z.strictObject({
        file: z.string().min(1).max(4096),
        offset: Offset.nullable().default(null),
        raw: z.boolean().default(false),
        sha256: z
          .string()
          .regex(/^[0-9a-fA-F]{64}$/)
          .optional(),
      }),
    )
    .max(32),
  fixHeader: z.boolean().default(false),
})

export interface ReadPlan {
  readonly parts: readonly PartFile[]
  readonly fixHeader: boolean
}

const maxPlanBytes = 256 * 1024

/** Throws `flash-bad-plan` naming the part and the field. */
export async function readPlanFile(path: string): Promise<ReadPlan> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AppError('flash-bad-plan', `The plan ${path} cannot be read`, { cause })
  })
  const { parts, fixHeader } = parsePlan(text)
  const folder = dirname(path)
  return {
    fixHeader,
    parts: parts.map(({ file, offset, raw, sha256 }) => ({
      path: resolve(folder, file),
      offset,
      raw,
      ...(sha256 === undefined ? {} : { sha256 }),
    })),
  }
}

export function parsePlan(text: string): z.infer<typeof PlanFile> {
  if (text.length > maxPlanBytes) throw new AppError('flash-bad-plan', 'The plan is larger than 256 KiB')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AppError('flash-bad-plan', 'The plan is not JSON', { cause })
  }
  const parsed = PlanFile.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new AppError('flash-bad-plan', `The plan: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}`)
}
