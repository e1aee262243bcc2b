import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeVirtualImage } from '../../firmware/virtual/make-image.ts'
import { readRunFile } from '../../electron/server/run-file.ts'
import { flashWith, startChip } from '../support/chip-port.ts'
import { byHeaders, bySubprotocols, openChannel, openSession, provision } from '../support/foreign-client.ts'
import { serveRoost } from '../support/roost-process.ts'
import { freshDir, makeClaims, rpcOf } from '../support/roost-server.ts'

const mac = '02:00:5e:10:00:09'
const wifiPassword = 'wifi-canary-8f2c51'
const ownerPassword = 'owner-canary-77aa10'

/** Every file of a folder as one text, however it is encoded. */
async function bytesOf(dir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    found.set(entry.name, (await readFile(join(entry.parentPath, entry.name))).toString('latin1'))
  }
  return found
}

test('after a whole life of a board no log, output or stored file holds a claim, token, password or secret', async () => {
  const [dataDir, chipDir] = [await freshDir(), await freshDir('chip')]
  const [claim = '', other = ''] = await makeClaims(dataDir, [{ deviceId: mac }, {}])
  const server = await serveRoost(dataDir, {
    args: ['--enrol', 'open', '--setup-password-stdin'],
    stdin: `${ownerPassword}\n`,
  })
  const run = readRunFile(dataDir)!
  const image = join(chipDir, 'image.bin')
  await writeFile(image, makeVirtualImage())
  const chip = await startChip(chipDir, ['--mac', mac, '--boot-to-board'])
  const settings = ['--server', server.url, '--claim', claim, '--ca', String(server.ready['ca'])]
  const flashed = await flashWith(
    ['--port', chip.port, '--image', image, ...settings, '--wifi-ssid', 'Net', '--wifi-password-stdin'],
    wifiPassword,
  )
  expect(flashed.code).toBe(0)
  await expect.poll(() => server.err.join(''), { timeout: 20_000 }).toContain('"session opened"')

  // And the ways that fail: they are logged too.
  const { place, session } = await openSession(server, 'leak-1')
  await provision(server, { device_id: 'leak-2', claim: other })
  await provision(server, { device_id: 'leak-3', claim: other })
  await openChannel(server, place.session_url, byHeaders(place.token, 'leak-9')).catch(() => undefined)
  await openChannel(server, place.session_url, bySubprotocols(`${place.token}x`, 'leak-1')).catch(() => undefined)
  await fetch(`${server.loopback}/auth/sign-in`, {
    method: 'POST',
    body: JSON.stringify({ name: 'owner', password: ownerPassword }),
    headers: { 'content-type': 'application/json' },
  })
  const client = await rpcOf(dataDir)
  await client.talk.type({ deviceId: 'leak-1', text: 'hello' })
  await session.until(({ type, state }) => type === 'tts' && state === 'stop')
  await client.fleet.revoke({ deviceId: 'leak-1' })
  await session.closed
  const boardToken = /token\0{11}[^]{8}([\w-]{43})\0/.exec((await chip.flash()).toString('latin1'))?.[1]
  chip.child.kill('SIGTERM')
  await chip.ended
  server.child.kill('SIGTERM')
  await server.ended

  const secrets = {
    claim,
    other,
    wifiPassword,
    ownerPassword,
    token: place.token,
    run: run.secret,
    boardToken: boardToken ?? '',
  }
  for (const [name, secret] of Object.entries(secrets)) expect([name, secret.length >= 16]).toEqual([name, true])
  const heard: Record<string, string> = {
    'server log': server.err.join(''),
    'server output': server.out.join('\n'),
    'chip output': chip.out.join('\n') + chip.err.join(''),
    'flash output': JSON.stringify(flashed),
  }
  for (const [name, text] of await bytesOf(dataDir)) heard[name] = text
  const leaks = Object.entries(heard).flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${place}`] : [])),
  )
  expect(leaks).toEqual([])
  expect(heard['server log']!.length).toBeGreaterThan(1_000)
})
