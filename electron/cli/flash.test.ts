import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sampleApp } from '../../test/support/esp-image.ts'
import type { Command } from './command.ts'
import { flashCommand } from './flash.ts'
import { imageCommand } from './image.ts'
import { nvsCommand } from './nvs.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cli-'))))
afterEach(() => rmSync(folder, { recursive: true }))

async function run(command: Command, args: readonly string[], stdin = '') {
  let out = ''
  let err = ''
  const io = { stdin: Readable.from([stdin]), env: {}, signal: new AbortController().signal }
  const code = await command.run(args, {
    ...io,
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
  })
  return { code, out, err }
}

test('a CSV becomes a partition that is read back', async () => {
  const [csv, image] = [join(folder, 'a.csv'), join(folder, 'a.bin')]
  writeFileSync(csv, 'key,type,encoding,value\nwifi,namespace,,\nssid,data,string,net\n')
  const made = await run(nvsCommand, ['make', csv, image, '--size', '0x3000', '--json'])
  expect(JSON.parse(made.out)).toMatchObject({ file: image, size: 0x3000, entries: 1 })
  expect(readFileSync(image)).toHaveLength(0x3000)
  const read = await run(nvsCommand, ['read', image, '--json'])
  expect(JSON.parse(read.out)).toMatchObject({
    entries: [{ namespace: 'wifi', key: 'ssid', type: 'string', value: 'net' }],
    problems: [],
  })
})

test('an image that cannot be flashed is described with exit code 1', async () => {
  const [good, bad] = [join(folder, 'good.bin'), join(folder, 'bad.bin')]
  writeFileSync(good, sampleApp())
  writeFileSync(bad, sampleApp().subarray(0, 4000))
  expect(await run(imageCommand, [good, '--json'])).toMatchObject({ code: 0 })
  const cut = await run(imageCommand, [bad, '--json'])
  expect(cut.code).toBe(1)
  expect(JSON.parse(cut.out)).toMatchObject({ kind: 'app', problems: [{ code: 'image-truncated' }] })
})

test('a lane that cannot start ends with its line and exit code 1; the password stays out of it', async () => {
  const image = join(folder, 'app.bin')
  writeFileSync(image, sampleApp())
  const args = ['--port', '/dev/no-such-port', '--image', image, '--wifi-ssid', 'n', '--wifi-password-stdin', '--json']
  const { code, out, err } = await run(flashCommand, args, 'pässword-123\n')
  expect(code).toBe(1)
  const last: unknown = JSON.parse(out.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ lane: '/dev/no-such-port', result: 'failed', code: 'flash-port-not-found', mac: null })
  expect(err).toContain('printable ASCII')
  expect(out + err).not.toContain('pässword')
})

test('what cannot be meant is wrong usage', async () => {
  const usage = expect.objectContaining({ code: 'server-bad-usage' }) as Error
  await expect(run(flashCommand, [])).rejects.toEqual(usage)
  await expect(run(flashCommand, ['--port', 'a', '--image', 'b', '--erase', 'some'])).rejects.toEqual(usage)
  await expect(run(flashCommand, ['--port', 'a', '--port', 'a', '--image', 'b'])).rejects.toEqual(usage)
  await expect(run(nvsCommand, ['make', 'a'])).rejects.toEqual(usage)
})
