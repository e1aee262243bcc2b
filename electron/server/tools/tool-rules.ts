import type { DeviceTool } from '../../contract/tool.ts'

/** What the policies say of one name on one device. */
export interface ToolRules {
  /** Why no voice may call it there; null: it may. */
  withheld(deviceId: string, name: string): Extract<DeviceTool['withheld'], 'agent' | 'class' | 'device'> | null
  /** May this outside client call it? */
  clientMay(clientId: string, name: string): boolean
  /** The version that a scope of the device holds it to. */
  pin(deviceId: string, name: string): number | undefined
}

/** No policy at all: everything may be called. */
export const openRules: ToolRules = { withheld: () => null, clientMay: () => true, pin: () => undefined }
