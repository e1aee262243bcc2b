import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { nvsEntry } from '../../server/firmware/nvs-entry.ts'
import { writeNvs } from '../../server/firmware/nvs-image.ts'
import { readNvs as readNvsByServer } from '../../server/firmware/nvs-reader.ts'
import { boardRole } from './board-settings.ts'
import { createFlashArray } from './flash-array.ts'
import { saveNvsString } from './nvs-editor.ts'
import { nvsBlob, nvsString, readNvs } from './nvs-reader.ts'

/** The worked vector of flashing.md §6. */
function workedVector(): Uint8Array {
  const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
  const ascii = (text: string, size: number) => Buffer.concat([Buffer.from(text), Buffer.alloc(size - text.length)])
  const ff = (count: number) => Buffer.alloc(count, 0xff)
  const page = Buffer.concat([
    hex('feffffff 00000000 fe'),
    ff(19),
    hex('842dbab9 aaea'),
    ff(30),
    ...[hex('000101ff 59113127'), ascii('wifi', 16), hex('01'), ff(7)],
    ...[hex('012102ff c313b6cf'), ascii('ssid', 16), hex('0800 ffff d6c27d08')],
    ...[ascii('TestNet', 8), ff(24)],
    ...[hex('010101ff 42841674'), ascii('force_ap', 16), hex('01'), ff(7)],
    ...[hex('01420200 9afbb3f4'), ascii('blob', 16), hex('0500 ffff 32bd49a9')],
    ...[hex('0011223344'), ff(27)],
    ...[hex('014801ff 3ef13434'), ascii('blob', 16), hex('05000000 01 00 ffff')],
  ])
  return Buffer.concat([page, ff(0x3000 - page.length)])
}

const range = { offset: 0x9000, size: 0x4000 }
function flashWith(nvs: Uint8Array) {
  const flash = createFlashArray(0x100000)
  flash.write(range.offset, nvs)
  const entries = () => readNvs(flash.read(range.offset, range.size))
  return { flash, entries }
}

test('the worked vector is the stated file, and is read', () => {
  const nvs = workedVector()
  expect(createHash('sha256').update(nvs).digest('hex')).toBe(
    'b8f41813d7dce93828e62a7f70d360769ffec17fbd4296290009b7717cd4e0ef',
  )
  const entries = readNvs(nvs)
  expect(nvsString(entries, 'wifi', 'ssid')).toBe('TestNet')
  expect(Buffer.from(nvsBlob(entries, 'wifi', 'blob') ?? []).toString('hex')).toBe('0011223344')
  expect(entries.find(({ key }) => key === 'force_ap')).toMatchObject({ type: 0x01 })
  expect(nvsString(entries, 'wifi', 'force_ap')).toBeUndefined()
})

test('a damaged entry is skipped, and a damaged page too, without losing the rest', () => {
  const nvs = workedVector()
  nvs[64 + 2 * 32] = 0x74
  expect(readNvs(nvs).map(({ key }) => key)).toEqual(['force_ap', 'blob'])
  nvs[5] = 1
  expect(readNvs(nvs)).toEqual([])
  expect(readNvs(new Uint8Array(0x3000).fill(0xff))).toEqual([])
  expect(readNvs(new Uint8Array(100))).toEqual([])
})

test('a saved string is appended without erasing anything, and the last value counts', () => {
  const { flash, entries } = flashWith(workedVector())
  const erased: number[] = []
  flash.onChange((change) => change.event === 'erase' && erased.push(change.offset))
  saveNvsString(flash, range, { namespace: 'iotta', key: 'token', value: 'first' })
  saveNvsString(flash, range, {
    namespace: 'iotta',
    key: 'token',
    value: 'second, and longer than one entry of 32 bytes',
  })
  expect(erased).toEqual([])
  expect(nvsString(entries(), 'iotta', 'token')).toBe('second, and longer than one entry of 32 bytes')
  expect(nvsString(entries(), 'wifi', 'ssid')).toBe('TestNet')
})

test('a full page is followed by the next one, and nothing is erased while a spare is left', () => {
  const { flash, entries } = flashWith(workedVector())
  const erased: number[] = []
  flash.onChange((change) => change.event === 'erase' && erased.push(change.offset))
  for (let i = 0; i < 100; i++) saveNvsString(flash, range, { namespace: 'iotta', key: 'token', value: `token ${i}` })
  expect(erased).toEqual([])
  expect(nvsString(entries(), 'iotta', 'token')).toBe('token 99')
  expect(nvsString(entries(), 'wifi', 'ssid')).toBe('TestNet')
})

test('a full partition is packed anew with every entry, and the writer and reader of the server agree', () => {
  const ca = Uint8Array.from({ length: 4500 }, (_, index) => (index * 7) & 0xff)
  const made = writeNvs(
    [
      nvsEntry('iotta', 'server', { type: 'string', value: 'https://a.example' }),
      nvsEntry('iotta', 'ca', { type: 'blob', value: ca }),
      nvsEntry('wifi', 'force_ap', { type: 'u8', value: 1 }),
    ],
    0x4000,
  )
  const { flash, entries } = flashWith(made)
  expect(Buffer.compare(nvsBlob(entries(), 'iotta', 'ca') ?? Buffer.alloc(0), ca)).toBe(0)
  let erases = 0
  flash.onChange((change) => (erases += change.event === 'erase' ? 1 : 0))
  for (let i = 0; i < 300; i++) saveNvsString(flash, range, { namespace: 'iotta', key: 'token', value: `token ${i}` })
  expect(erases).toBeGreaterThan(0)
  const seen = readNvsByServer(flash.read(range.offset, range.size).slice())
  expect(seen.problems).toEqual([])
  const values = new Map(seen.entries.map(({ namespace, key, bytes }) => [`${namespace}.${key}`, Buffer.from(bytes)]))
  expect(values.get('iotta.token')?.toString()).toBe('token 299\0')
  expect(values.get('iotta.ca')?.equals(ca)).toBe(true)
  expect(values.get('wifi.force_ap')?.[0]).toBe(1)
})

test('a blank partition becomes a sound one at the first save', () => {
  const { flash, entries } = flashWith(new Uint8Array(0x4000).fill(0xff))
  saveNvsString(flash, range, { namespace: 'iotta', key: 'token', value: 'té' })
  expect(entries()).toHaveLength(1)
  expect(nvsString(entries(), 'iotta', 'token')).toBe('té')
})

test('what does not fit is refused by its code and changes nothing', () => {
  const { flash, entries } = flashWith(workedVector())
  const save = (key: string, value: string) => () => saveNvsString(flash, range, { namespace: 'iotta', key, value })
  expect(save('a-key-of-16-chars', 'x')).toThrow(expect.objectContaining({ code: 'nvs-bad-key' }))
  expect(save('token', 'x'.repeat(4000))).toThrow(expect.objectContaining({ code: 'nvs-bad-value' }))
  for (const key of ['a', 'b']) save(key, 'x'.repeat(3900))()
  expect(save('d', 'x'.repeat(3900))).toThrow(expect.objectContaining({ code: 'nvs-too-small' }))
  expect(nvsString(entries(), 'iotta', 'b')).toBe('x'.repeat(3900))
  expect(nvsString(entries(), 'wifi', 'ssid')).toBe('TestNet')
})

test('settings make an iotta board, and what is missing is said', () => {
  const { flash, entries } = flashWith(workedVector())
  const mac = '7c:df:a1:e0:12:34'
  expect(boardRole([], mac)).toEqual({ kind: 'offline', reason: 'the NVS partition holds no settings' })
  expect(boardRole(entries(), mac)).toEqual({ kind: 'offline', reason: 'NVS has no iotta.server' })
  saveNvsString(flash, range, { namespace: 'iotta', key: 'server', value: 'https://roost.local:8443' })
  saveNvsString(flash, range, { namespace: 'iotta', key: 'claim', value: 'c1' })
  saveNvsString(flash, range, { namespace: 'wifi', key: 'ssid1', value: 'Second' })
  saveNvsString(flash, range, { namespace: 'wifi', key: 'password1', value: 'secret22' })
  expect(boardRole(entries(), mac)).toEqual({
    kind: 'iotta',
    settings: {
      server: 'https://roost.local:8443',
      claim: 'c1',
      deviceId: mac,
      wifi: [{ ssid: 'TestNet' }, { ssid: 'Second', password: 'secret22' }],
    },
  })
})
