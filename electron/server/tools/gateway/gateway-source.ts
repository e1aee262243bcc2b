import type {
  CallToolResult,
  CompleteRequest,
  GetPromptResult,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '@modelcontextprotocol/sdk/types.js'

/** What one outside client may see and do; made anew from its record for each request. */
export interface Remit {
  readonly clientId: string
  readonly readOnly: boolean
  readonly transcripts: boolean
  /** By the house's name of the tool. */
  allows(toolName: string): boolean
  sees(deviceId: string): boolean
}

export interface GatewayCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Aborts when the client cancels, leaves or loses its rights. */
  readonly signal: AbortSignal
  /** Sent when the client asked for it. */
  progress(done: { progress: number; total?: number; message?: string }): Promise<void>
  log(level: LoggingLevel, text: string): Promise<void>
  /** The client comes back for the rest; undefined where it cannot. */
  readonly closeStream: (() => void) | undefined
}

export type GatewayChange =
  { readonly kind: 'tools' | 'resources' | 'prompts' } | { readonly kind: 'resource'; readonly uri: string }

/**
 * Something that outside clients are offered over `/mcp`. What a source does not know it answers with undefined, and
 * the next one is asked. The remit is the source's to keep.
 */
export interface GatewaySource {
  tools(remit: Remit): Promise<readonly Tool[]>
  callTool(remit: Remit, call: GatewayCall): Promise<CallToolResult | undefined>
  readonly resources?: {
    list(remit: Remit): Promise<readonly Resource[]>
    templates(remit: Remit): Promise<readonly ResourceTemplate[]>
    read(remit: Remit, uri: string): Promise<ReadResourceResult | undefined>
  }
  readonly prompts?: {
    list(remit: Remit): Promise<readonly Prompt[]>
    get(remit: Remit, name: string, args: Readonly<Record<string, string>>): Promise<GetPromptResult | undefined>
  }
  readonly complete?: (remit: Remit, params: CompleteRequest['params']) => Promise<readonly string[] | undefined>
  onChange(listener: (change: GatewayChange) => void): void
}
