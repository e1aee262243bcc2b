import { expect, test } from 'vitest'
import { planFor } from '../../../test/support/chip-bench.ts'
import { imageOf, sampleApp, sampleBootloader, sampleMerged, sampleRows } from '../../../test/support/esp-image.ts'
import { readEspHeader } from '../firmware/esp-header.ts'
import { nvsEntry, nvsValue } from '../firmware/nvs-entry.ts'
import { writeNvs } from '../firmware/nvs-image.ts'
import { readNvs } from '../firmware/nvs-reader.ts'
import { writePartitionTable } from '../firmware/partition-table.ts'
import { parsePlan } from './plan-file.ts'
import { type BoardView, type FlashPlan, type PlanRequest, boardNeeds, checkRequest, resolvePlan } from './plan.ts'

const mb = 1024 * 1024
const board: BoardView = { flashSize: 16 * mb, revision: 2, table: null, otadata: null, nvs: null }
const merged = sampleMerged()
const settings = { wifi: [{ ssid: 'net', password: 'password1' }] }
const extents = (plan: FlashPlan) => plan.regions.map(({ name, offset, start, end }) => [name, offset, end - start])
const at = (bytes: Uint8Array, offset: number | null, name = 'part.bin') => ({ image: imageOf(bytes, name), offset })
const request = (...parts: PlanRequest['parts'][number][]): PlanRequest => ({ parts, erase: 'none' })
const refused = (code: string, run: () => unknown) => expect(run).toThrow(expect.objectContaining({ code }))

test('of a merged image what is content is written, and the FF between parts is not', () => {
  expect(extents(resolvePlan(planFor(merged), board))).toEqual([
    ['image.bin', 0, 0x4000],
    ['image.bin', 0x8000, 0x8000],
    ['image.bin', 0x20000, merged.length - 0x20000],
  ])
})

test('settings take the place of the NVS partition in a merged image', () => {
  const plan = resolvePlan(planFor(merged, { settings }), board)
  expect(extents(plan)).toEqual([
    ['image.bin', 0, 0x4000],
    ['image.bin', 0x8000, 0x1000],
    ['image.bin', 0xd000, 0x3000],
    ['image.bin', 0x20000, merged.length - 0x20000],
    ['nvs', 0x9000, 0x4000],
  ])
  expect(readNvs(plan.regions.at(-1)?.source ?? merged).entries.map(nvsValue)).toEqual(['net', 'password1'])
})

test('kept settings are merged with new ones, or not written at all', () => {
  const nvs = writeNvs([nvsEntry('board', 'uuid', { type: 'string', value: 'x' })], 0x4000)
  const view = { ...board, table: sampleRows, nvs }
  const keep = (more: Partial<PlanRequest>) => resolvePlan(planFor(merged, { erase: 'keep-settings', ...more }), view)
  expect(extents(keep({})).some(([, offset]) => offset === 0x9000)).toBe(false)
  const written = keep({ settings }).regions.at(-1)
  expect(readNvs(written?.source ?? nvs).entries.map(({ key }) => key)).toEqual(['uuid', 'ssid', 'password'])
  refused('flash-protected', () =>
    resolvePlan({ ...request(at(Buffer.alloc(10, 1), 0x9000)), erase: 'keep-settings' }, view),
  )
})

test('an app goes to the partition that the board would start, and nowhere without a table', () => {
  const app = planFor(sampleApp())
  expect(boardNeeds(app)).toEqual({ table: true, nvs: false })
  expect(extents(resolvePlan(app, { ...board, table: sampleRows }))).toEqual([
    ['image.bin', 0x20000, sampleApp().length],
  ])
  refused('flash-no-table', () => resolvePlan(app, board))
  refused('flash-no-table', () => resolvePlan({ parts: [], erase: 'none', settings }, board))
  refused('flash-no-nvs', () =>
    resolvePlan({ parts: [], erase: 'none', settings }, { ...board, table: sampleRows.slice(3) }),
  )
})

test('an image at a place of another kind is refused before the port is opened', () => {
  refused('flash-wrong-kind', () => checkRequest(request(at(sampleApp(), 0))))
  refused('flash-wrong-kind', () => checkRequest(request(at(sampleBootloader(), 0x20000))))
  refused('flash-wrong-kind', () => checkRequest(request(at(merged, 0x10000))))
  refused('image-wrong-chip', () => checkRequest(planFor(sampleApp({ chipId: 5 }))))
  refused('image-truncated', () => checkRequest(planFor(sampleApp().subarray(0, 5000))))
  refused('image-not-esp', () => checkRequest(planFor(Buffer.from('text'))))
  refused('image-empty', () => checkRequest(planFor(Buffer.alloc(0))))
  refused('flash-bad-plan', () => checkRequest(request()))
  refused('flash-bad-plan', () => checkRequest(request(at(sampleApp(), 0x20100))))
})

test('parts that share a sector are refused', () => {
  const boot = sampleBootloader({ length: 0x3000 })
  refused('flash-overlap', () => checkRequest(request(at(boot, 0), at(Buffer.alloc(100, 1), 0x3000))))
  checkRequest(request(at(boot, 0), at(Buffer.alloc(100, 1), 0x4000)))
})

test('what does not fit is refused with both sizes', () => {
  const data = request({ ...at(Buffer.alloc(64 * mb, 1), 0x10000), raw: true })
  expect(() => resolvePlan(data, board)).toThrow(/67174400.*16777216/)
  const app = planFor(sampleApp({ length: 0x20000 }))
  const small = sampleRows.map((row) => (row.type === 0 ? { ...row, size: 0x10000 } : row))
  refused('flash-too-small', () => resolvePlan(app, { ...board, table: small }))
})

test('a header that names more flash than there is is refused, or changed with a valid hash', () => {
  const view = { ...board, flashSize: 8 * mb }
  const loader = request(at(sampleBootloader(), 0))
  refused('flash-too-small', () => resolvePlan(loader, view))
  const fixed = resolvePlan({ ...loader, fixHeader: true }, view).regions[0]
  expect(readEspHeader(fixed?.source ?? merged)).toMatchObject({ flashSize: 8 * mb, fault: null })
})

test('a chip revision outside the range of the header is refused', () => {
  const view = { ...board, table: sampleRows }
  refused('flash-wrong-revision', () => resolvePlan(planFor(sampleApp({ minRevision: 100 })), view))
  refused('flash-wrong-revision', () => resolvePlan(planFor(sampleApp({ maxRevision: 1 })), view))
  expect(resolvePlan(planFor(sampleApp({ maxRevision: 0 })), view).regions).toHaveLength(1)
})

test('parts of a plan are placed by their kind, and an app must meet a partition of the plan', () => {
  const table = Buffer.from(writePartitionTable(sampleRows))
  const plan = resolvePlan(request(at(sampleBootloader(), null), at(table, null), at(sampleApp(), 0x20000)), board)
  expect(plan.regions.map(({ offset }) => offset)).toEqual([0, 0x8000, 0x20000])
  refused('flash-wrong-kind', () => resolvePlan(request(at(table, null), at(sampleApp(), 0x30000)), board))
})

test('a plan file names the field that is wrong', () => {
  const good = { version: 1, parts: [{ file: 'a.bin', offset: '0x8000' }, { file: 'b.bin' }] }
  expect(parsePlan(JSON.stringify(good)).parts.map(({ offset }) => offset)).toEqual([0x8000, null])
  expect(() => parsePlan('{"version":1,"parts":[{"file":"a","offset":"x"}]}')).toThrow(/parts\.0\.offset/)
  refused('flash-bad-plan', () => parsePlan('{'))
  refused('flash-bad-plan', () => parsePlan('{"version":2,"parts":[]}'))
})
