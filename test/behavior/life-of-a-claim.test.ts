import { createHash, X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeVirtualImage } from '../../firmware/virtual/make-image.ts'
import { flashWith, startChip } from '../support/chip-port.ts'
import { foreignNvs } from '../support/foreign-nvs.ts'
import { foreignFlasher } from '../support/pty-port.ts'
import { serveRoost } from '../support/roost-process.ts'
import { freshDir, makeClaims, startRoost } from '../support/roost-server.ts'

const mac = '02:00:5e:10:00:01'
const nvs = { offset: 0x9000, size: 0x4000 }
const password = 'correct horse battery'

test('the second writer of NVS makes the reference partition', () => {
  const entries = [
    { namespace: 'wifi', key: 'ssid', string: 'TestNet' },
    { namespace: 'wifi', key: 'force_ap', u8: 1 },
    { namespace: 'wifi', key: 'blob', blob: Buffer.from('0011223344', 'hex') },
  ]
  expect(createHash('sha256').update(foreignNvs(entries, 0x3000)).digest('hex')).toBe(
    'b8f41813d7dce93828e62a7f70d360769ffec17fbd4296290009b7717cd4e0ef',
  )
})

test('a claim is flashed in byte for byte, boots into a board, enrols it and is over; erased settings keep it offline', async () => {
  const [dataDir, chipDir] = [await freshDir(), await freshDir('chip')]
  const [claim = ''] = await makeClaims(dataDir, [{ deviceId: mac, name: 'Kitchen' }])
  const server = await serveRoost(dataDir, { args: ['--enrol', 'claim'] })
  const caFile = String(server.ready['ca'])
  const imageFile = join(chipDir, 'image.bin')
  const image = Buffer.from(makeVirtualImage())
  await writeFile(imageFile, image)
  const settings = ['--server', server.url, '--claim', claim, '--ca', caFile, '--name', 'Kitchen']
  const wifi = ['--wifi-ssid', 'TestNet', '--wifi-password-stdin']

  const blank = await startChip(chipDir, ['--mac', mac])
  const flashed = await flashWith(['--port', blank.port, '--image', imageFile, ...settings, ...wifi], `${password}\n`)
  expect(flashed).toMatchObject({ code: 0, last: { lane: blank.port, result: 'written', code: null, mac } })

  const expectedNvs = foreignNvs(
    [
      { namespace: 'wifi', key: 'ssid', string: 'TestNet' },
      { namespace: 'wifi', key: 'password', string: password },
      { namespace: 'iotta', key: 'server', string: server.url },
      { namespace: 'iotta', key: 'claim', string: claim },
      { namespace: 'iotta', key: 'ca', blob: new X509Certificate(server.ca).raw },
      { namespace: 'iotta', key: 'name', string: 'Kitchen' },
    ],
    nvs.size,
  )
  const plan = Buffer.alloc(16 * 1024 * 1024, 0xff)
  image.copy(plan)
  expectedNvs.copy(plan, nvs.offset)
  const held = await blank.flash()
  expect(held.subarray(nvs.offset, nvs.offset + nvs.size).equals(expectedNvs)).toBe(true)
  expect(held.equals(plan)).toBe(true)
  blank.child.kill('SIGTERM')
  expect(await blank.ended).toEqual({ code: 0, signal: null })

  const board = await startChip(chipDir, ['--mac', mac, '--boot-to-board'])
  board.write('reset\n')
  await board.line(({ event, mode }) => event === 'boot' && mode === 'app')
  expect(await board.line(({ event }) => event === 'board')).toMatchObject({ state: 'started', server: server.url })
  await expect.poll(() => server.err.join(''), { timeout: 20_000 }).toMatch(/"session opened"/)
  await expect.poll(async () => (await board.flash()).includes('token')).toBe(true)
  board.child.kill('SIGKILL')
  await board.ended

  // Its claim ended with the first use of the token, so the token in its flash is all it has.
  expect(await showClaim(server.loopback, claim)).toBe('403 claim_unknown')

  const erased = await startChip(chipDir, ['--mac', mac, '--boot-to-board'])
  const { loader, transport } = foreignFlasher(erased.port)
  await loader.main('no_reset')
  const empty = new Uint8Array(nvs.size).fill(0xff)
  await loader.writeFlash({
    fileArray: [{ data: empty, address: nvs.offset }],
    flashMode: 'keep',
    flashFreq: 'keep',
    flashSize: 'keep',
    eraseAll: false,
    compress: true,
  })
  await transport.disconnect()
  expect((await erased.flash()).subarray(nvs.offset, nvs.offset + nvs.size).equals(empty)).toBe(true)
  erased.write('reset\n')
  const offline = await erased.line(({ event }) => event === 'board')
  expect(offline).toMatchObject({ state: 'offline', reason: 'the NVS partition holds no settings' })
})

/** Shows a claim as another asking would. */
async function showClaim(url: string, claim: string): Promise<string> {
  const answer = await fetch(`${url}/provision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_id: mac, board: 'b', fw: { name: 'f', version: '1' }, claim }),
  })
  const { error } = (await answer.json()) as { error?: { code: string } }
  return `${answer.status} ${error?.code ?? ''}`
}

test('a flash job of the console proves the board: it ends only when the session of that board said hello', async () => {
  const roost = await startRoost({ host: '::', enrol: 'claim' })
  const client = await roost.rpc()
  const chip = await startChip(await freshDir('chip'), ['--mac', mac, '--boot-to-board'])
  const image = (await client.flash.images()).find(({ virtual }) => virtual)!
  const { jobId } = await client.flash.start({
    ports: [chip.port],
    imageId: image.id,
    wifi: [{ ssid: 'TestNet', password }],
    name: 'Class board',
    provision: true,
    erase: 'none',
  })
  await expect.poll(async () => (await client.jobs.get({ id: jobId })).state, { timeout: 50_000 }).not.toBe('running')
  const job = await client.jobs.get({ id: jobId })
  expect(job).toMatchObject({ state: 'done', deviceId: mac, code: null })
  expect(job.lanes).toMatchObject([{ result: 'proved', board: { mac } }])
  const devices = await client.fleet.watch()
  for await (const event of devices) {
    expect(event).toMatchObject({ type: 'snapshot', devices: [{ id: mac, name: 'Class board', enrolledBy: 'claim' }] })
    break
  }
})
