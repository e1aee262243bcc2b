import type { BoardFacts } from '../../contract/flash.ts'
import { dataSubtypes, dataType, findPartition, tableOffset, tableSize } from '../firmware/partition-table.ts'
import { flashSizeOf, readFlash, readFlashId, readRegister, setFlashSize } from './chip-commands.ts'
import { type ChipSession, changeBaud, startStub } from './chip-session.ts'
import { describeChip } from './esp-loader.ts'
import { type BoardView, type PlanRequest, boardNeeds, nvsRow, tableFrom } from './plan.ts'

/** Who the board is; starts the stub and raises the speed on the way. A dead flash has the size 0. */
export async function inspectBoard(
  session: ChipSession,
  baud: number,
): Promise<{ board: BoardFacts; revision: number }> {
  const { client } = session
  const chip = await describeChip((address) => readRegister(client, address))
  await startStub(session)
  await changeBaud(session, baud)
  const id = await readFlashId(client)
  const flashSize = flashSizeOf(id)
  if (flashSize > 0) await setFlashSize(client, flashSize)
  const board: BoardFacts = {
    chip: chip.name,
    revision: chip.revision,
    mac: chip.mac,
    flashSize,
    flashId: id.toString(16).padStart(6, '0'),
    psram: chip.psram,
  }
  return { board, revision: chip.revisionNumber }
}

/** What the plan has to know of the board's flash, and no more. */
export async function viewBoard(
  session: ChipSession,
  request: PlanRequest,
  facts: Pick<BoardView, 'flashSize' | 'revision'>,
): Promise<BoardView> {
  const needs = boardNeeds(request)
  const read = (offset: number, size: number) => readFlash(session.client, offset, size)
  const table = needs.table ? tableFrom(await read(tableOffset, tableSize)) : null
  const otadata = table && findPartition(table, dataType, dataSubtypes.otadata)
  const nvs = needs.nvs ? nvsRow(table) : undefined
  return {
    ...facts,
    table,
    otadata: otadata && otadata.size >= 0x2000 ? await read(otadata.offset, 0x2000) : null,
    nvs: nvs && nvs.offset + nvs.size <= facts.flashSize ? await read(nvs.offset, nvs.size) : null,
  }
}
