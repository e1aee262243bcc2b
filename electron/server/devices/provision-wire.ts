import { z } from 'zod'
import { AppError } from '../../base/app-error.ts'
import { Codec, DeviceId, Firmware } from '../../contract/device.ts'

/** The body of `POST /provision` (iotta-protocol.md §2). Unknown fields are dropped. */
export const ProvisionRequest = z.object({
  device_id: DeviceId,
  board: z.string().min(1).max(64),
  fw: Firmware,
  audio: z
    .object({
      codecs: z.array(Codec).min(1).max(8),
      sample_rate: z.number().int(),
      channels: z.number().int(),
      frame_duration: z.number().int(),
    })
    .optional(),
  features: z.record(z.string().max(64), z.boolean()).optional(),
  claim: z.string().min(1).max(256).optional(),
  request: z.string().min(1).max(256).optional(),
})
export type ProvisionRequest = z.infer<typeof ProvisionRequest>

/** Throws `iotta-bad-request`, naming the first field that is wrong. */
export function parseProvisionRequest(body: unknown): ProvisionRequest {
  const parsed = ProvisionRequest.safeParse(body)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const where = issue?.path.join('.') ?? ''
  throw new AppError('iotta-bad-request', `The field "${where}" is wrong: ${issue?.message ?? 'not an object'}`)
}
