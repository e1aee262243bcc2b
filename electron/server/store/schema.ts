import type { Generated } from 'kysely'
import type { EnrolmentWay } from '../../contract/device.ts'
import type { Turn } from '../../contract/conversation.ts'
import type { JobLine, JobState } from '../../contract/job.ts'
import type { BoardEvent } from '../../contract/telemetry.ts'
import type { ToolVersion } from '../../contract/tool.ts'

/** Tables of `roost.db`. Times are ms since epoch, truths 0 or 1, `body` a JSON document of the contract's type. */
export interface RoostTables {
  devices: {
    id: string
    name: string
    board: string
    firmware_name: string
    firmware_version: string
    virtual: number
    blocked: number
    enrolled_by: EnrolmentWay
    created_at: number
    last_seen_at: number | null
    last_address: string | null
  }
  tokens: {
    hash: string
    device_id: string
    issued_at: number
    expires_at: number
    revoked_at: number | null
    first_used_at: number | null
    claim_hash: string | null
  }
  claims: {
    hash: string
    device_id: string | null
    created_at: number
    expires_at: number
    used_at: number | null
    virtual: number
    name: string | null
  }
  accounts: { name: string; role: 'owner'; password_hash: string; created_at: number }
  console_sessions: { hash: string; account: string; created_at: number; expires_at: number }
  tools: {
    name: string
    version: number
    status: ToolVersion['status']
    created_at: number
    device_id: string | null
    body: string
  }
  declared_tools: { device_id: string; names: string }
  images: { id: string; added_at: number; body: string }
  jobs: { id: string; started_at: number; state: JobState; body: string }
  job_lines: { job_id: string; seq: number; at: number; source: JobLine['source']; text: string }
  meta: { key: string; value: string }
  tool_drafts: { id: string; name: string; author: string; revision: number; updated_at: number; body: string }
  tool_releases: { name: string; version: number; published_at: number; body: string }
  tool_settings: { name: string; enabled: number; cases: string }
  tool_policies: { scope: string; id: string; body: string }
  classes: { id: string; active: number; body: string }
  thing_versions: { name: string; version: number; published_at: number; body: string }
  thing_drafts: { id: string; name: string; author: string; revision: number; updated_at: number; body: string }
  thing_bindings: { id: string; thing: string; device_id: string; body: string }
  alarms: { id: string; due_at: number; state: string; body: string }
  note_lists: { id: string; body: string }
  calendar_events: { id: string; start_at: number; body: string }
  /** `secrets`: values of environment variables or headers; they never leave the store but to the server's own child. */
  mcp_servers: { id: string; name: string; body: string; secrets: string }
  /** `text`: the description that was agreed to, so that a later change can be shown as a difference. */
  mcp_consents: { server_id: string; tool: string; hash: string; text: string; given_at: number }
  api_clients: {
    id: string
    hash: string
    purpose: string
    expires_at: number
    revoked_at: number | null
    last_used_at: number | null
    calls: number
    body: string
  }
}

/** Tables of `history.db`. */
export interface HistoryTables {
  turns: {
    row: Generated<number>
    id: string
    device_id: string
    started_at: number
    status: Turn['status']
    calls: number
    reply_ms: number | null
    body: string
  }
  /** Full-text shadow of `turns` (turn-search.ts); on PostgreSQL an ILIKE over a pg_trgm index is its twin. */
  turn_search: { rowid: number; user_text: string; reply_text: string }
  series: { id: Generated<number>; device_id: string; metric: string }
  samples: { series: number; at: number; value: number }
  events: {
    id: Generated<number>
    device_id: string
    at: number
    level: BoardEvent['level']
    code: string
    message: string
  }
  logs: { id: Generated<number>; device_id: string; at: number; line: string }
  tool_calls: {
    row: Generated<number>
    id: string
    at: number
    device_id: string
    name: string
    version: number | null
    outcome: string
    body: string
  }
  thing_values: { binding_id: string; property: string; at: number; value: string }
}
