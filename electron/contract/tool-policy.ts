import { z } from 'zod'
import { ToolName } from './tool.ts'

/**
 * What one scope may call. `listed` with an empty list means nothing (reliability.md C 44). A tool is offered when
 * every scope that the device is in allows it. `pins`: this version instead of the newest.
 */
export const ToolPolicy = z.object({
  scope: z.enum(['agent', 'class', 'device', 'client']),
  id: z.string().min(1).max(100),
  mode: z.enum(['all', 'listed']),
  allowed: z.array(ToolName).max(2000),
  pins: z.record(ToolName, z.number().int().min(1)),
})
export type ToolPolicy = z.infer<typeof ToolPolicy>

/** A group of devices with a lesson. While it is `active`, its policy rules its devices; a device has one active class. */
export const DeviceClass = z.object({
  id: z.string(),
  name: z.string().trim().min(1).max(64),
  deviceIds: z.array(z.string()).max(200),
  active: z.boolean(),
})
export type DeviceClass = z.infer<typeof DeviceClass>
