import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { AppError } from '../../base/app-error.ts'
import type { FileName } from './store-protocol.ts'

// Numbered, forward only. A published migration never changes: a correction is the next number.

type Migrations = Readonly<Record<string, Migration>>

/** One statement a line, so that a diff of a later migration reads as what changed. */
function statements(...lines: readonly string[]): Migration {
  return {
    async up(db) {
      for (const line of lines) await sql.raw(line).execute(db)
    },
  }
}

export const roostMigrations: Migrations = {
  '0001-start': statements(
    `create table devices (id text primary key, name text not null, board text not null, firmware_name text not null,
      firmware_version text not null, virtual integer not null, blocked integer not null, enrolled_by text not null,
      created_at real not null, last_seen_at real, last_address text)`,
    `create table tokens (hash text primary key, device_id text not null references devices (id) on delete cascade,
      issued_at real not null, expires_at real not null, revoked_at real, first_used_at real, claim_hash text)`,
    'create index tokens_of_device on tokens (device_id, issued_at)',
    `create table claims (hash text primary key, device_id text, created_at real not null, expires_at real not null,
      used_at real, virtual integer not null, name text)`,
    `create table accounts (name text primary key, role text not null, password_hash text not null,
      created_at real not null)`,
    `create table console_sessions (hash text primary key, account text not null references accounts (name)
      on delete cascade, created_at real not null, expires_at real not null)`,
    `create table tools (name text not null, version integer not null, status text not null, created_at real not null,
      device_id text, body text not null, primary key (name, version))`,
    'create table declared_tools (device_id text primary key, names text not null)',
    'create table images (id text primary key, added_at real not null, body text not null)',
    'create table jobs (id text primary key, started_at real not null, state text not null, body text not null)',
    'create index jobs_by_time on jobs (started_at)',
    `create table job_lines (job_id text not null references jobs (id) on delete cascade, seq integer not null,
      at real not null, source text not null, text text not null, primary key (job_id, seq))`,
    'create table meta (key text primary key, value text not null)',
  ),
  '0002-tools': statements(
    `create table tool_drafts (id text primary key, name text not null, author text not null, revision integer not null,
      updated_at real not null, body text not null, unique (name, author))`,
    `create table tool_releases (name text not null, version integer not null, published_at real not null,
      body text not null, primary key (name, version))`,
    'create table tool_settings (name text primary key, enabled integer not null, cases text not null)',
    'create table tool_policies (scope text not null, id text not null, body text not null, primary key (scope, id))',
    'create table classes (id text primary key, active integer not null, body text not null)',
  ),
  '0003-things': statements(
    `create table thing_versions (name text not null, version integer not null, published_at real not null,
      body text not null, primary key (name, version))`,
    `create table thing_drafts (id text primary key, name text not null, author text not null, revision integer not null,
      updated_at real not null, body text not null, unique (name, author))`,
    'create table thing_bindings (id text primary key, thing text not null, device_id text not null, body text not null)',
  ),
  '0004-helpers': statements(
    'create table alarms (id text primary key, due_at real not null, state text not null, body text not null)',
    'create index alarms_by_state on alarms (state, due_at)',
    'create table note_lists (id text primary key, body text not null)',
    'create table calendar_events (id text primary key, start_at real not null, body text not null)',
    'create index calendar_events_by_start on calendar_events (start_at)',
  ),
  '0005-mcp': statements(
    'create table mcp_servers (id text primary key, name text not null unique, body text not null, secrets text not null)',
    `create table mcp_consents (server_id text not null references mcp_servers (id) on delete cascade, tool text not null,
      hash text not null, text text not null, given_at real not null, primary key (server_id, tool))`,
    `create table api_clients (id text primary key, hash text not null unique, purpose text not null,
      expires_at real not null, revoked_at real, last_used_at real, calls integer not null, body text not null)`,
  ),
}

export const historyMigrations: Migrations = {
  '0001-start': statements(
    `create table turns (row integer primary key autoincrement, id text not null unique, device_id text not null,
      started_at real not null, status text not null, calls integer not null, reply_ms real, body text not null)`,
    'create index turns_by_time on turns (started_at, id)',
    'create index turns_of_device on turns (device_id, started_at, id)',
    `create virtual table turn_search using fts5 (user_text, reply_text, tokenize = 'unicode61')`,
    `insert into turn_search (turn_search, rank) values ('secure-delete', 1)`,
    'create table series (id integer primary key, device_id text not null, metric text not null, unique (device_id, metric))',
    `create table samples (series integer not null references series (id) on delete cascade, at real not null,
      value real not null, primary key (series, at)) without rowid`,
    'create index samples_by_time on samples (at)',
    `create table events (id integer primary key, device_id text not null, at real not null, level text not null,
      code text not null, message text not null)`,
    'create index events_of_device on events (device_id, at)',
    'create index events_by_time on events (at)',
    'create table logs (id integer primary key, device_id text not null, at real not null, line text not null)',
    'create index logs_of_device on logs (device_id, at)',
    'create index logs_by_time on logs (at)',
  ),
  // Turns are stored while they run; the next start asks for those that were left so.
  '0002-running-turns': statements(`create index turns_running on turns (status) where status = 'running'`),
  '0003-tools': statements(
    `create table tool_calls (row integer primary key autoincrement, id text not null unique, at real not null,
      device_id text not null, name text not null, version integer, outcome text not null, body text not null)`,
    'create index tool_calls_of_tool on tool_calls (name, at)',
    'create index tool_calls_of_device on tool_calls (device_id, at)',
    'create index tool_calls_by_time on tool_calls (at)',
    `create table thing_values (binding_id text not null, property text not null, at real not null, value text not null,
      primary key (binding_id, property, at)) without rowid`,
    'create index thing_values_by_time on thing_values (at)',
  ),
}

/**
 * Brings the file up to date; a failing migration leaves nothing half-made. Rejects with 'server-disk-full' or
 * 'server-store-failed', also when the file is newer than this program.
 */
export async function migrate<T>(db: Kysely<T>, file: FileName, migrations: Migrations): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error instanceof AppError) throw error
  if (error !== undefined) {
    const reason = error instanceof Error ? error.message : JSON.stringify(error)
    throw new AppError('server-store-failed', `${file}.db could not be brought up to date: ${reason}`, { cause: error })
  }
  return results.map((result) => result.migrationName)
}
