import type { Insertable, Kysely, Selectable } from 'kysely'
import type { RoostTables } from './schema.ts'
import type { DeviceRow, DeviceStore } from './store.ts'

type Row = Selectable<RoostTables['devices']>

export function createDeviceStore(db: Kysely<RoostTables>): DeviceStore {
  return {
    all: async () =>
      (await db.selectFrom('devices').selectAll().orderBy('created_at').orderBy('id').execute()).map(fromRow),
    async get(id) {
      const row = await db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirst()
      return row && fromRow(row)
    },
    put: (row) => putDevice(db, row),
    async update(id, change) {
      const columns = changedColumns(change)
      if (Object.keys(columns).length > 0) await db.updateTable('devices').set(columns).where('id', '=', id).execute()
    },
    remove: (id) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom('declared_tools').where('device_id', '=', id).execute()
        await trx.deleteFrom('devices').where('id', '=', id).execute()
      }),
  }
}

/** Never `replace`: that deletes the row first, and its tokens with it. */
export async function putDevice(db: Kysely<RoostTables>, device: DeviceRow): Promise<void> {
  const { id, ...rest } = toRow(device)
  await db
    .insertInto('devices')
    .values({ id, ...rest })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .execute()
}

function toRow(device: DeviceRow): Insertable<RoostTables['devices']> {
  return {
    id: device.id,
    name: device.name,
    board: device.board,
    firmware_name: device.firmware.name,
    firmware_version: device.firmware.version,
    virtual: Number(device.virtual),
    blocked: Number(device.blocked),
    enrolled_by: device.enrolledBy,
    created_at: device.createdAt,
    last_seen_at: device.lastSeenAt,
    last_address: device.lastAddress,
  }
}

function changedColumns(change: Partial<Omit<DeviceRow, 'id'>>): Partial<Row> {
  return {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.board !== undefined && { board: change.board }),
    ...(change.firmware && { firmware_name: change.firmware.name, firmware_version: change.firmware.version }),
    ...(change.virtual !== undefined && { virtual: Number(change.virtual) }),
    ...(change.blocked !== undefined && { blocked: Number(change.blocked) }),
    ...(change.enrolledBy !== undefined && { enrolled_by: change.enrolledBy }),
    ...(change.createdAt !== undefined && { created_at: change.createdAt }),
    ...(change.lastSeenAt !== undefined && { last_seen_at: change.lastSeenAt }),
    ...(change.lastAddress !== undefined && { last_address: change.lastAddress }),
  }
}

function fromRow(row: Row): DeviceRow {
  return {
    id: row.id,
    name: row.name,
    board: row.board,
    firmware: { name: row.firmware_name, version: row.firmware_version },
    virtual: row.virtual === 1,
    blocked: row.blocked === 1,
    enrolledBy: row.enrolled_by,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    lastAddress: row.last_address,
  }
}
