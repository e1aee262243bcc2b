import type { Caller } from '../../contract/tool-registry.ts'
import type { ToolSource, ToolVersion } from '../../contract/tool.ts'

/** One tool that a provider offers on a device. `tool` null: named, but not in the registry. */
export interface ToolOffer {
  readonly name: string
  readonly tool: ToolVersion | null
  readonly reachable: boolean
  readonly source: ToolSource
  /** What a person calls the provider: the Thing's title, the MCP server's name, the serial port. */
  readonly provider: string | null
  /** Answers that nobody waited for, of this source on this device; absent: none. */
  readonly lateAnswers?: number
}

export interface ProviderCall {
  readonly deviceId: string
  readonly tool: ToolVersion
  /** Checked against the tool's schema already. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** Aborts when the call was cancelled or its deadline passed: the provider tells its far end. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The turn that asked, where one did: a bench joins the wire with it. */
  readonly turnId: string | null
  /** Who asked the host: a provider that calls other tools for them does it in their name. */
  readonly caller?: Caller
}

/**
 * A source of tools behind the one host (tool-host.ts). A provider moves calls and answers; that arguments and results
 * fit, that a person said yes, and what is written down is the host's.
 */
export interface ToolProvider {
  readonly id: string
  /** Never rejects: what cannot be asked offers nothing. */
  offers(deviceId: string): Promise<readonly ToolOffer[]>
  /** Resolves when the first offers of a device that has just come are known; at once for all others. */
  settled?(deviceId: string): Promise<void>
  /** The raw value object. Rejects tool-… codes; a late answer is dropped and counted by the provider. */
  call(call: ProviderCall): Promise<Readonly<Record<string, unknown>>>
  /** `undefined`: of every device. */
  onChange(listener: (deviceId: string | undefined) => void): void
}
