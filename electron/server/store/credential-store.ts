import type { Kysely, Selectable } from 'kysely'
import { putDevice } from './device-store.ts'
import type { RoostTables } from './schema.ts'
import type { ClaimRow, CredentialStore, TokenRow } from './store.ts'

type Issue = Parameters<CredentialStore['issue']>[0]

export function createCredentialStore(db: Kysely<RoostTables>): CredentialStore {
  return {
    async token(hash) {
      const row = await db.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst()
      return row && toToken(row)
    },
    async tokensOf(deviceId) {
      const rows = await db
        .selectFrom('tokens')
        .selectAll()
        .where('device_id', '=', deviceId)
        .orderBy('issued_at')
        .execute()
      return rows.map(toToken)
    },
    async claim(hash) {
      const row = await db.selectFrom('claims').selectAll().where('hash', '=', hash).executeTakeFirst()
      return row && toClaim(row)
    },
    async putClaim(claim) {
      const { hash, ...rest } = fromClaim(claim)
      await db
        .insertInto('claims')
        .values({ hash, ...rest })
        .onConflict((conflict) => conflict.column('hash').doUpdateSet(rest))
        .execute()
    },
    async bindClaim(hash, deviceId) {
      // The first device keeps it (iotta-protocol.md §2 a).
      await db
        .updateTable('claims')
        .set({ device_id: deviceId })
        .where('hash', '=', hash)
        .where('device_id', 'is', null)
        .execute()
    },
    issue: (order) => db.transaction().execute((trx) => issue(trx, order)),
    markUsed: (hash, at) => db.transaction().execute((trx) => markUsed(trx, hash, at)),
    async revokeAll(deviceId, at) {
      const unrevoked = await unrevokedTokens(db, deviceId)
      await revoke(
        db,
        unrevoked.map((token) => token.hash),
        at,
      )
      return unrevoked.filter((token) => token.expiresAt > at).length
    },
  }
}

async function issue(trx: Kysely<RoostTables>, order: Issue): Promise<{ revoked: string[] }> {
  const { token } = order
  await putDevice(trx, order.device)
  const unrevoked = await unrevokedTokens(trx, token.deviceId)
  const asked = unrevoked.filter((old) => isRevokedBy(order.revoke, old)).map((old) => old.hash)
  const left = unrevoked.filter((old) => !asked.includes(old.hash) && old.expiresAt > token.issuedAt)
  // The new one counts, and `left` stands oldest first.
  const surplus = left.slice(0, Math.max(0, left.length + 1 - order.keep)).map((old) => old.hash)
  const revoked = [...asked, ...surplus]
  await revoke(trx, revoked, token.issuedAt)
  await trx.insertInto('tokens').values(fromToken(token)).execute()
  return { revoked }
}

function isRevokedBy(rule: Issue['revoke'], token: TokenRow): boolean {
  if (rule === 'all') return true
  if (rule === 'none') return false
  return 'exceptHash' in rule ? token.hash !== rule.exceptHash : token.claimHash === rule.claimHash
}

/** Oldest first; expired ones too, since an expired token still renews its board (iotta-protocol.md §2 b). */
async function unrevokedTokens(db: Kysely<RoostTables>, deviceId: string): Promise<TokenRow[]> {
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where('device_id', '=', deviceId)
    .where('revoked_at', 'is', null)
    .orderBy('issued_at')
    .orderBy('hash')
    .execute()
  return rows.map(toToken)
}

async function revoke(db: Kysely<RoostTables>, hashes: readonly string[], at: number): Promise<void> {
  if (hashes.length === 0) return
  await db.updateTable('tokens').set({ revoked_at: at }).where('hash', 'in', hashes).execute()
}

async function markUsed(trx: Kysely<RoostTables>, hash: string, at: number): Promise<void> {
  const token = await trx
    .updateTable('tokens')
    .set({ first_used_at: at })
    .where('hash', '=', hash)
    .where('first_used_at', 'is', null)
    .returning('claim_hash')
    .executeTakeFirst()
  if (!token?.claim_hash) return
  await trx
    .updateTable('claims')
    .set({ used_at: at })
    .where('hash', '=', token.claim_hash)
    .where('used_at', 'is', null)
    .execute()
}

function toToken(row: Selectable<RoostTables['tokens']>): TokenRow {
  return {
    hash: row.hash,
    deviceId: row.device_id,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    firstUsedAt: row.first_used_at,
    claimHash: row.claim_hash,
  }
}

function fromToken(token: TokenRow): Selectable<RoostTables['tokens']> {
  return {
    hash: token.hash,
    device_id: token.deviceId,
    issued_at: token.issuedAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
    first_used_at: token.firstUsedAt,
    claim_hash: token.claimHash,
  }
}

function toClaim(row: Selectable<RoostTables['claims']>): ClaimRow {
  return {
    hash: row.hash,
    deviceId: row.device_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    virtual: row.virtual === 1,
    name: row.name,
  }
}

function fromClaim(claim: ClaimRow): Selectable<RoostTables['claims']> {
  return {
    hash: claim.hash,
    device_id: claim.deviceId,
    created_at: claim.createdAt,
    expires_at: claim.expiresAt,
    used_at: claim.usedAt,
    virtual: Number(claim.virtual),
    name: claim.name,
  }
}
