import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import type { OwnAddress } from './addresses.ts'
import { type CertificatesOptions, openCertificates } from './certificates.ts'
import { makeLeaf, permittedBy } from './local-ca.ts'
import { covers, decodeNameConstraints, encodeNameConstraints, permittedFor } from './name-constraints.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const dayMs = 24 * 3_600_000
const loopback: OwnAddress = { address: '127.0.0.1', cidr: '127.0.0.1/8', internal: true }
const lan: OwnAddress = { address: '192.168.7.5', cidr: '192.168.7.5/24', internal: false }
const campus: OwnAddress = { address: '141.20.3.4', cidr: '141.20.3.4/22', internal: false }

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-tls-'))
  closers.push(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function open(options: Partial<CertificatesOptions> & { dir: string }) {
  const made = await openCertificates({
    log: silentLog,
    addresses: () => [loopback, lan],
    hostname: 'desk',
    ...options,
  })
  closers.push(() => made.close())
  return made
}

async function opensslVerify(ca: string, leaf: string, ...more: string[]): Promise<string> {
  const dir = await folder()
  await writeFile(join(dir, 'ca.pem'), ca)
  await writeFile(join(dir, 'leaf.pem'), leaf)
  try {
    return execFileSync('openssl', ['verify', '-CAfile', join(dir, 'ca.pem'), ...more, join(dir, 'leaf.pem')], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } catch (error) {
    return (error as { stderr: string }).stderr
  }
}

test('the first start makes a CA and a leaf that openssl accepts for every name and address', async () => {
  const dir = await folder()
  const made = await open({ dir })

  expect(await opensslVerify(made.caPem, made.leaf().cert, '-verify_ip', '192.168.7.5')).toContain(': OK')
  expect(await opensslVerify(made.caPem, made.leaf().cert, '-verify_ip', '::1')).toContain(': OK')
  expect(await opensslVerify(made.caPem, made.leaf().cert, '-verify_hostname', 'desk.local')).toContain(': OK')
  expect(await opensslVerify(made.caPem, made.leaf().cert, '-verify_hostname', 'example.com')).toContain('mismatch')
  expect(made.fingerprint).toBe(`sha256:${createHash('sha256').update(made.caDer).digest('hex')}`)
  expect(await readFile(made.caPath, 'utf8')).toBe(made.caPem)
})

test('keys are readable by their owner alone, whatever the umask says', async () => {
  const before = process.umask(0)
  closers.push(() => process.umask(before))
  const dir = await folder()
  await open({ dir })
  const modes = await Promise.all(
    ['ca-key.pem', 'server-key.pem'].map(async (name) => (await stat(join(dir, name))).mode & 0o777),
  )
  expect(modes).toEqual([0o600, 0o600])
})

test('a second start serves the same CA and the same leaf', async () => {
  const dir = await folder()
  const first = await open({ dir })
  const second = await open({ dir })
  expect([second.fingerprint, second.leaf().cert]).toEqual([first.fingerprint, first.leaf().cert])
})

test('a CA without its key is an error and not a new CA', async () => {
  const dir = await folder()
  await open({ dir })
  await rm(join(dir, 'ca-key.pem'))
  await expect(open({ dir })).rejects.toMatchObject({ code: 'server-tls-failed' })
})

test('the constraints refuse a certificate for a name or an address of the outside world', async () => {
  const made = await open({ dir: await folder() })
  const key = await readFile(join(made.caPath, '../ca-key.pem'), 'utf8')
  for (const name of ['example.com', '8.8.8.8', '2001:4860:4860::8888']) {
    const leaf = await makeLeaf({ ca: { key, cert: made.caPem }, names: [name], now: Date.now(), lifeMs: dayMs })
    expect(await opensslVerify(made.caPem, leaf.cert)).toContain('permitted subtree violation')
  }
})

test('a public subnet that the machine has when the CA is made is permitted', async () => {
  const made = await open({ dir: await folder(), addresses: () => [loopback, campus] })
  expect(made.warnings()).toEqual([])
  expect(await opensslVerify(made.caPem, made.leaf().cert, '-verify_ip', '141.20.3.4')).toContain(': OK')
})

test('a later public address gets no certificate but a warning', async () => {
  let own = [loopback, lan]
  const made = await open({ dir: await folder(), addresses: () => own })
  own = [loopback, lan, campus]
  await made.refresh()
  expect(made.warnings()).toEqual([{ code: 'server-address-not-covered', detail: '141.20.3.4' }])
  expect(await opensslVerify(made.caPem, made.leaf().cert, '-verify_ip', '192.168.7.5')).toContain(': OK')
})

test('a new address brings a new leaf under the same CA', async () => {
  let own = [loopback, lan]
  const made = await open({ dir: await folder(), addresses: () => own })
  const before = { ca: made.caPem, leaf: made.leaf().cert }
  const told: string[] = []
  made.onLeaf((leaf) => told.push(leaf.cert))

  await made.refresh()
  expect(told).toEqual([])
  own = [loopback, { address: '10.1.2.3', cidr: '10.1.2.3/8', internal: false }]
  await made.refresh()

  expect(told).toEqual([made.leaf().cert])
  expect(made.leaf().cert).not.toBe(before.leaf)
  expect(made.caPem).toBe(before.ca)
  expect(await opensslVerify(made.caPem, made.leaf().cert, '-verify_ip', '10.1.2.3')).toContain(': OK')
})

test('a leaf with less than a third of its life is renewed', async () => {
  let now = Date.now()
  const made = await open({ dir: await folder(), now: () => now })
  const before = made.leaf().cert
  now += 59 * dayMs
  await made.refresh()
  expect(made.leaf().cert).toBe(before)
  now += 2 * dayMs
  await made.refresh()
  expect(made.leaf().cert).not.toBe(before)
})

test('a client that trusts the CA alone reads a page over TLS', async () => {
  const made = await open({ dir: await folder() })
  const server = createServer(made.leaf(), (_request, response) => response.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  const { port } = server.address() as AddressInfo
  const status = await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, ca: made.caPem, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
  expect(status).toBe(200)
})

test('name constraints survive their DER form', () => {
  const permitted = permittedFor([lan, campus, { address: '2001:db8:1::7', cidr: '2001:db8:1::7/64', internal: false }])
  expect(decodeNameConstraints(encodeNameConstraints(permitted))).toEqual(permitted)
  expect(permitted.ranges).toContain('141.20.0.0/22')
  expect(permitted.ranges).toContain('2001:db8:1::/64')
  expect(permitted.ranges).not.toContain('192.168.7.0/24')
})

test.each([
  ['100.64.0.1', true],
  ['100.128.0.1', false],
  ['172.31.255.255', true],
  ['172.32.0.1', false],
  ['fd12::1', true],
  ['fe80::1', true],
  ['2001:db8::1', false],
  ['8.8.8.8', false],
])('%s is permitted: %s', (address, expected) => {
  expect(covers(permittedFor([]).ranges, address)).toBe(expected)
})

test.each(['', '30', '3082', '30058001', '3002a0ff', '3004a0028100'])('broken DER %s is a RangeError', (hex) => {
  expect(() => decodeNameConstraints(Buffer.from(hex, 'hex'))).toThrow(RangeError)
})

test('the CA that was made says what it permits', async () => {
  const made = await open({ dir: await folder() })
  expect(permittedBy(made.caPem)).toEqual(permittedFor([loopback, lan]))
})
