import { X509Certificate, createPrivateKey } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { ServerWarning } from '../../contract/server-info.ts'
import { type OwnAddress, ownAddresses, ownNames } from './addresses.ts'
import { type KeyPairPem, derOf, fingerprintOf, makeCa, makeLeaf, permittedBy } from './local-ca.ts'
import { covers, permittedFor } from './name-constraints.ts'
import { writeSecretFile } from './secret-file.ts'

export interface Certificates {
  readonly caPem: string
  readonly caDer: Uint8Array
  /** Absolute. */
  readonly caPath: string
  /** `sha256:` and 64 hex digits. */
  readonly fingerprint: string
  /** The certificate to serve now, with its key. */
  leaf(): KeyPairPem
  /** Names and addresses in it. */
  names(): readonly string[]
  /** Ms since epoch. */
  expiresAt(): number
  /** Addresses of this machine that the CA may not speak for. */
  warnings(): ServerWarning[]
  onLeaf(listener: (leaf: KeyPairPem) => void): void
  /** Looks at the interfaces and the leaf's age now, in place of within 30 s. */
  refresh(): Promise<void>
  close(): void
}

export interface CertificatesOptions {
  /** The `tls` folder; made when it is missing. */
  readonly dir: string
  readonly log: Log
  readonly addresses?: () => OwnAddress[]
  readonly hostname?: string
  readonly now?: () => number
}

const leafLifeMs = 90 * 24 * 3_600_000
const lookEveryMs = 30_000

/** This installation's CA and the server's certificate under it. Throws 'server-tls-failed' when a stored CA is damaged. */
export async function openCertificates(options: CertificatesOptions): Promise<Certificates> {
  const { dir, log, addresses = ownAddresses, hostname, now = Date.now } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const ca = (await storedPair(dir, 'ca')) ?? (await newCa({ dir, own: addresses(), hostname, now: now() }))
  const permitted = permittedBy(ca.cert)
  const listeners: ((leaf: KeyPairPem) => void)[] = []

  function wanted(): { names: string[]; refused: string[] } {
    const own = [...new Set(['127.0.0.1', '::1', ...addresses().map(({ address }) => address)])]
    const refused = permitted ? own.filter((address) => !covers(permitted.ranges, address)) : []
    return { names: [...ownNames(hostname), ...own.filter((address) => !refused.includes(address))], refused }
  }

  async function newLeaf(): Promise<KeyPairPem> {
    const { names, refused } = wanted()
    const leaf = await makeLeaf({ ca, names, now: now(), lifeMs: leafLifeMs })
    await storePair(dir, 'server', leaf)
    for (const address of refused) log.warn('address is outside the name constraints of the CA', { address })
    log.info('server certificate made', { names: names.join(' ') })
    return leaf
  }

  const stored = await storedPair(dir, 'server').catch(() => undefined)
  let leaf = stored && isFit(stored, { ca, names: wanted().names, now: now() }) ? stored : await newLeaf()

  async function refresh(): Promise<void> {
    if (isFit(leaf, { ca, names: wanted().names, now: now() })) return
    leaf = await newLeaf()
    listeners.forEach((listener) => listener(leaf))
  }
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => log.error('server certificate was not renewed', { error }))
  }, lookEveryMs).unref()

  return {
    caPem: ca.cert,
    caDer: derOf(ca.cert),
    caPath: join(dir, 'ca.pem'),
    fingerprint: fingerprintOf(ca.cert),
    leaf: () => leaf,
    names: () => wanted().names,
    expiresAt: () => new X509Certificate(leaf.cert).validToDate.getTime(),
    warnings: () => wanted().refused.map((detail) => ({ code: 'server-address-not-covered', detail })),
    onLeaf: (listener) => void listeners.push(listener),
    refresh,
    close: () => clearInterval(timer),
  }
}

interface CaFacts {
  readonly dir: string
  readonly own: readonly OwnAddress[]
  readonly hostname: string | undefined
  readonly now: number
}

async function newCa({ dir, own, hostname, now }: CaFacts): Promise<KeyPairPem> {
  const host = ownNames(hostname).at(-1) ?? 'localhost'
  const ca = await makeCa({ name: `Roost CA ${host}`, permitted: permittedFor(own), now })
  await storePair(dir, 'ca', ca)
  return ca
}

/** The key goes first: a certificate without its key never stands there, and a lone key is simply replaced. */
async function storePair(dir: string, name: string, pair: KeyPairPem): Promise<void> {
  await writeSecretFile(join(dir, `${name}-key.pem`), pair.key)
  await writeSecretFile(join(dir, `${name}.pem`), pair.cert)
}

/** A CA that boards trust is never replaced in silence: with a certificate but no matching key the start fails. */
async function storedPair(dir: string, name: string): Promise<KeyPairPem | undefined> {
  const cert = await readText(join(dir, `${name}.pem`))
  if (cert === undefined) return undefined
  try {
    const key = await readFile(join(dir, `${name}-key.pem`), 'utf8')
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new RangeError('keys differ')
    return { key, cert }
  } catch (cause) {
    const message = `${join(dir, `${name}.pem`)} and its key do not fit together: restore both, or delete both to start with a new CA`
    throw new AppError('server-tls-failed', message, { cause })
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AppError('server-tls-failed', `${path} cannot be read`, { cause: error })
  }
}

/** Ours, with every address in it, and at least a third of its life left. */
function isFit(leaf: KeyPairPem, wanted: { ca: KeyPairPem; names: readonly string[]; now: number }): boolean {
  const cert = new X509Certificate(leaf.cert)
  if (!cert.checkIssued(new X509Certificate(wanted.ca.cert))) return false
  const missing = wanted.names.some((name) => cert.checkHost(name) === undefined && cert.checkIP(name) === undefined)
  // A clock that jumped back makes it not yet valid: that leaf is no use either.
  const started = cert.validFromDate.getTime() <= wanted.now
  return started && !missing && cert.validToDate.getTime() - wanted.now >= leafLifeMs / 3
}
