import type { DeviceClass, ToolPolicy } from '../../contract/tool-policy.ts'
import type { ToolAudit, ToolCase, ToolDraft, ToolRelease } from '../../contract/tool-registry.ts'
import type { ToolVersion } from '../../contract/tool.ts'

/** What is set for a name and not for a version. */
export interface ToolSettings {
  readonly name: string
  readonly enabled: boolean
  readonly cases: readonly ToolCase[]
}

/** What people and code do with tools; the versions themselves are in `ToolStore`. */
export interface ToolEditStore {
  releases(): Promise<ToolRelease[]>
  putRelease(release: ToolRelease): Promise<void>
  /**
   * One transaction: the version, its release, and the draft that it was goes. Rejects tool-version-fixed when the
   * number is taken.
   */
  release(options: {
    version: ToolVersion
    release: ToolRelease
    draftId?: string | undefined
    deviceId?: string | undefined
  }): Promise<void>
  drafts(): Promise<ToolDraft[]>
  putDraft(draft: ToolDraft): Promise<void>
  removeDraft(id: string): Promise<void>
  settings(): Promise<ToolSettings[]>
  putSettings(settings: ToolSettings): Promise<void>
}

export interface ToolPolicyStore {
  policies(): Promise<ToolPolicy[]>
  putPolicy(policy: ToolPolicy): Promise<void>
  removePolicy(scope: ToolPolicy['scope'], id: string): Promise<void>
  classes(): Promise<DeviceClass[]>
  /** One transaction, so that a device never has two active classes. */
  putClasses(classes: readonly DeviceClass[]): Promise<void>
  removeClass(id: string): Promise<void>
}

/** Calls of one version since a time. */
export interface ToolUse {
  readonly name: string
  readonly version: number | null
  readonly calls: number
  readonly ok: number
}

/** The audit. It is pruned and forgotten with the telemetry of its device. */
export interface ToolCallStore {
  /** Shares a commit with others; resolves when it is kept. */
  put(call: ToolAudit): Promise<void>
  /** Newest first. */
  list(filter: { name?: string | undefined; deviceId?: string | undefined; limit: number }): Promise<ToolAudit[]>
  usage(since: number): Promise<ToolUse[]>
}
