import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createFlashArray, type FlashChange } from './flash-array.ts'

const directories: string[] = []
const makeDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), 'chip-'))
  directories.push(directory)
  return directory
}
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

function watched(stateDir?: string) {
  const flash = createFlashArray(0x100000, stateDir)
  const changes: FlashChange[] = []
  flash.onChange((change) => void changes.push(change))
  return { flash, changes }
}

test('writing only clears bits until the sector is erased', () => {
  const { flash } = watched()
  flash.write(0x1000, new Uint8Array([0xf0, 0x0f]))
  flash.write(0x1000, new Uint8Array([0x3c, 0xff]))
  expect([...flash.read(0x1000, 3)]).toEqual([0x30, 0x0f, 0xff])
  flash.erase(0x1fff, 1)
  expect([...flash.read(0x1000, 2)]).toEqual([0xff, 0xff])
})

test('only changes of content are told, in runs of sectors', () => {
  const { flash, changes } = watched()
  flash.erase(0, 0x100000)
  flash.write(0x5000, new Uint8Array(0x1000).fill(0xff))
  expect(changes).toEqual([])
  const bytes = new Uint8Array(0x4000).fill(0xff)
  bytes.fill(0x11, 0, 0x1800)
  bytes.fill(0x22, 0x3000, 0x4000)
  flash.write(0x10000, bytes)
  flash.write(0x10000, bytes)
  flash.erase(0, 0x100000)
  expect(changes).toEqual([
    { event: 'write', offset: 0x10000, size: 0x2000 },
    { event: 'write', offset: 0x13000, size: 0x1000 },
    { event: 'erase', offset: 0x10000, size: 0x2000 },
    { event: 'erase', offset: 0x13000, size: 0x1000 },
  ])
})

test('what lies past the end is neither written nor read', () => {
  const { flash } = watched()
  flash.write(0xfffff, new Uint8Array([1, 2, 3]))
  flash.write(0x200000, new Uint8Array([1]))
  expect([...flash.read(0xfffff, 10)]).toEqual([1])
  expect(flash.read(0x200000, 4)).toHaveLength(0)
})

test('a flash in a file has its full size at once and holds each write when it returns', () => {
  const stateDir = join(makeDirectory(), 'new')
  const { flash } = watched(stateDir)
  const path = join(stateDir, 'flash.bin')
  expect(statSync(path).size).toBe(0x100000)
  flash.write(0x2000, new Uint8Array([1, 2, 3]))
  expect([...readFileSync(path).subarray(0x1fff, 0x2004)]).toEqual([0xff, 1, 2, 3, 0xff])
  flash.erase(0x2000, 1)
  flash.write(0x3000, new Uint8Array([9]))
  flash.close()
  const again = createFlashArray(0x100000, stateDir)
  expect([again.read(0x2000, 1)[0], again.read(0x3000, 1)[0]]).toEqual([0xff, 9])
  again.close()
  expect(statSync(path).size).toBe(0x100000)
})

test('a file of another size is refused and left alone', () => {
  const stateDir = makeDirectory()
  writeFileSync(join(stateDir, 'flash.bin'), 'short')
  expect(() => createFlashArray(0x100000, stateDir)).toThrow(expect.objectContaining({ code: 'chip-bad-state' }))
  expect(readFileSync(join(stateDir, 'flash.bin'), 'utf8')).toBe('short')
})
