import type { Turn, TurnPage, TurnKind } from '../../contract/conversation.ts'
import type { EnrolmentWay, Firmware } from '../../contract/device.ts'
import type { Job, JobLine } from '../../contract/job.ts'
import type { LibraryImage } from '../../contract/rpc.ts'
import type { BoardEvent, Sample, SampleColumn } from '../../contract/telemetry.ts'
import type { ToolVersion } from '../../contract/tool.ts'
import type { ThingStore } from './thing-store.ts'
import type { ToolCallStore, ToolEditStore, ToolPolicyStore } from './tool-stores.ts'
import type { ApiClientStore } from './api-client-store.ts'
import type { HelperStore } from './helper-store.ts'
import type { McpServerStore } from './mcp-server-store.ts'

// Every promise that resolves has its commit behind it (reliability.md C 1–2). `roost.db` holds devices, credentials,
// accounts, tools, images, jobs and meta; `history.db` holds turns, samples, events.

export interface DeviceRow {
  readonly id: string
  readonly name: string
  readonly board: string
  readonly firmware: Firmware
  readonly virtual: boolean
  readonly blocked: boolean
  readonly enrolledBy: EnrolmentWay
  readonly createdAt: number
  readonly lastSeenAt: number | null
  readonly lastAddress: string | null
}

export interface DeviceStore {
  all(): Promise<DeviceRow[]>
  get(id: string): Promise<DeviceRow | undefined>
  put(row: DeviceRow): Promise<void>
  update(id: string, change: Partial<Omit<DeviceRow, 'id'>>): Promise<void>
  /** Removes the device with its tokens; its history goes with `history.forget`. */
  remove(id: string): Promise<void>
}

/** Only hashes are kept (SHA-256 hex of a 256-bit secret). */
export interface TokenRow {
  readonly hash: string
  readonly deviceId: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly revokedAt: number | null
  readonly firstUsedAt: number | null
  /** The claim that gave it, so that its first use ends the claim. */
  readonly claimHash: string | null
}

export interface ClaimRow {
  readonly hash: string
  /** Null until the first device presents it. */
  readonly deviceId: string | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly usedAt: number | null
  readonly virtual: boolean
  readonly name: string | null
}

export interface CredentialStore {
  token(hash: string): Promise<TokenRow | undefined>
  tokensOf(deviceId: string): Promise<TokenRow[]>
  claim(hash: string): Promise<ClaimRow | undefined>
  putClaim(row: ClaimRow): Promise<void>
  bindClaim(hash: string, deviceId: string): Promise<void>
  /**
   * One transaction: revokes what `revoke` says, adds the token, keeps at most `keep` live ones (oldest goes first),
   * writes the device. Returns the hashes that were revoked.
   */
  issue(options: {
    token: TokenRow
    revoke: 'all' | 'none' | { readonly exceptHash: string } | { readonly claimHash: string }
    keep: number
    device: DeviceRow
  }): Promise<{ revoked: string[] }>
  /** First use: stamps the token and ends its claim. */
  markUsed(hash: string, at: number): Promise<void>
  /** Returns how many live tokens ended. */
  revokeAll(deviceId: string, at: number): Promise<number>
}

export interface AccountRow {
  readonly name: string
  readonly role: 'owner'
  /** scrypt parameters, salt and hash in one text. */
  readonly passwordHash: string
  readonly createdAt: number
}

export interface ConsoleSessionRow {
  readonly hash: string
  readonly account: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface AccountStore {
  /** The name of the first account; undefined while there is none. */
  owner(): Promise<string | undefined>
  count(): Promise<number>
  get(name: string): Promise<AccountRow | undefined>
  add(row: AccountRow): Promise<void>
  putSession(row: ConsoleSessionRow): Promise<void>
  session(hash: string): Promise<ConsoleSessionRow | undefined>
  removeSession(hash: string): Promise<void>
}

export interface ToolStore {
  all(): Promise<ToolVersion[]>
  /** Rejects when a published version of this name and number exists with other content: versions never change. */
  put(version: ToolVersion, source: { deviceId: string | null }): Promise<void>
  setStatus(name: string, version: number, status: ToolVersion['status']): Promise<void>
  /** What a board named at its last connect, so that the vocabulary is known while it is unreachable. */
  declared(deviceId: string): Promise<string[]>
  setDeclared(deviceId: string, names: readonly string[]): Promise<void>
}

export interface TurnStore {
  /** Also a turn that runs, so that a kill does not take it: it is written again when it ends. */
  put(turn: Turn): Promise<void>
  get(id: string): Promise<Turn | undefined>
  /** Ended turns only, newest first: those that run are told live. */
  list(filter: {
    deviceId?: string | undefined
    text?: string | undefined
    status?: Turn['status'] | undefined
    kind?: TurnKind | undefined
    withTools?: boolean | undefined
    slowerThanMs?: number | undefined
    /** `name@version`, offered or called. */
    toolRef?: string | undefined
    before?: string | undefined
    limit: number
  }): Promise<TurnPage>
  /** Ended turns. */
  count(): Promise<number>
  /** Those stored as running: of this server, or left behind by one that was killed. */
  running(): Promise<Turn[]>
  /** When the oldest turn kept started. */
  oldest(): Promise<number | undefined>
  /** Removes turns that started before; returns how many. */
  prune(before: number): Promise<number>
}

export interface TelemetryStore {
  add(deviceId: string, samples: readonly { metric: string; at: number; value: number }[]): Promise<void>
  addEvents(events: readonly BoardEvent[]): Promise<void>
  addLogs(deviceId: string, lines: readonly { at: number; line: string }[]): Promise<void>
  /** Newest first. */
  events(deviceId: string, limit: number): Promise<BoardEvent[]>
  /** Newest first. */
  logs(deviceId: string, limit: number): Promise<{ at: number; line: string }[]>
  latest(deviceId: string, metric: string): Promise<Sample | undefined>
  metrics(deviceId?: string): Promise<string[]>
  columns(query: {
    deviceId: string
    metric: string
    from: number
    to: number
    columns: number
  }): Promise<SampleColumn[]>
  /** Time of the oldest sample kept. */
  oldest(): Promise<number | undefined>
  /** Removes samples, events, logs and tool calls from before; returns how many. */
  prune(before: number): Promise<number>
  /** Everything that history holds of the device, its turns too. */
  forget(deviceId: string): Promise<void>
}

export interface JobStore {
  put(job: Job): Promise<void>
  /** Newest first. */
  all(limit: number): Promise<Job[]>
  addLines(jobId: string, lines: readonly JobLine[]): Promise<void>
  /** Lines are numbered from 1 in a job: `after` 0 = from the first. `next` is the number of the last one given. */
  lines(jobId: string, after: number, limit: number): Promise<{ lines: JobLine[]; next: number }>
  /** Keeps the newest `keep` jobs; those that run stay in any case. */
  prune(keep: number): Promise<void>
}

export interface ImageStore {
  all(): Promise<LibraryImage[]>
  put(image: LibraryImage): Promise<void>
  remove(id: string): Promise<void>
}

/** Key `lastStop` holds what the start found: 'first-start', 'clean' or 'unclean' (contract/server-info.ts). */
export interface MetaStore {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
}

export interface Store {
  readonly devices: DeviceStore
  readonly credentials: CredentialStore
  readonly accounts: AccountStore
  readonly tools: ToolStore
  readonly toolEdits: ToolEditStore
  readonly toolPolicies: ToolPolicyStore
  readonly toolCalls: ToolCallStore
  readonly helpers: HelperStore
  readonly things: ThingStore
  readonly turns: TurnStore
  readonly telemetry: TelemetryStore
  readonly jobs: JobStore
  readonly images: ImageStore
  readonly mcpServers: McpServerStore
  readonly apiClients: ApiClientStore
  readonly meta: MetaStore
  sizeBytes(): Promise<number>
  /** Checkpoints both WALs, then closes; writes that were accepted are done first. Idempotent. */
  close(): Promise<void>
}
