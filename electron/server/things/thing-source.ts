import type { ToolVersion } from '../../contract/tool.ts'

export interface ThingOffer {
  readonly name: string
  readonly tool: ToolVersion
  readonly reachable: boolean
  readonly source: 'thing'
  /** The Thing's title. */
  readonly provider: string
}

export interface ThingCall {
  readonly deviceId: string
  readonly tool: Pick<ToolVersion, 'name'>
  readonly arguments: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly turnId: string | null
}

/** Bound Things as a source of tools; it has the shape that the host of all tools takes. */
export interface ThingSource {
  readonly id: string
  offers(deviceId: string): Promise<readonly ThingOffer[]>
  /** Rejects tool-… codes. */
  call(call: ThingCall): Promise<Readonly<Record<string, unknown>>>
  onChange(listener: (deviceId: string | undefined) => void): void
}
