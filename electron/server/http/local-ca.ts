import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { type Permitted, decodeNameConstraints, encodeNameConstraints } from './name-constraints.ts'

// reflect-metadata has to be there before the library is loaded; its import above is not unused.

export interface KeyPairPem {
  readonly key: string
  readonly cert: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 24 * 3_600_000
const nameConstraintsId = '2.5.29.30'
// A board whose clock is a little behind must not refuse a certificate of today.
const headStartMs = dayMs

/** A root for this installation: ten years, no CA below it, bound to names and ranges of its own network. */
export async function makeCa(options: { name: string; permitted: Permitted; now: number }): Promise<KeyPairPem> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${options.name}`,
    notBefore: new Date(options.now - headStartMs),
    notAfter: new Date(options.now + 3650 * dayMs),
    keys,
    signingAlgorithm: algorithm,
    serialNumber: serial(),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      // Not critical: mbedTLS on the boards refuses critical extensions that it does not know, and OpenSSL and
      // Chromium honour the constraints either way.
      new x509.Extension(nameConstraintsId, false, new Uint8Array(encodeNameConstraints(options.permitted))),
    ],
  })
  return { key: await privateKeyPem(keys.privateKey), cert: cert.toString('pem') }
}

export interface LeafOptions {
  readonly ca: KeyPairPem
  /** DNS names and addresses, the first one is the common name. */
  readonly names: readonly string[]
  readonly now: number
  readonly lifeMs: number
}

export async function makeLeaf({ ca, names, now, lifeMs }: LeafOptions): Promise<KeyPairPem> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const issuer = new x509.X509Certificate(ca.cert)
  const cert = await x509.X509CertificateGenerator.create({
    subject: `CN=${names[0] ?? 'localhost'}`,
    issuer: issuer.subject,
    notBefore: new Date(now - headStartMs),
    notAfter: new Date(now + lifeMs),
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(ca.key),
    signingAlgorithm: algorithm,
    serialNumber: serial(),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { key: await privateKeyPem(keys.privateKey), cert: cert.toString('pem') }
}

/** What the CA allows itself; undefined when it has no constraints. */
export function permittedBy(caPem: string): Permitted | undefined {
  const extension = new x509.X509Certificate(caPem).getExtension(nameConstraintsId)
  return extension ? decodeNameConstraints(new Uint8Array(extension.value)) : undefined
}

export function derOf(pem: string): Uint8Array {
  return new Uint8Array(new x509.X509Certificate(pem).rawData)
}

/** `sha256:` and 64 lower-case hex digits over the DER (iotta-protocol.md §1). */
export function fingerprintOf(pem: string): string {
  return `sha256:${createHash('sha256').update(derOf(pem)).digest('hex')}`
}

/** A key of WebCrypto, whichever library of types is loaded. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

async function privateKeyPem(key: Key): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

async function importPrivateKey(pem: string): Promise<Key> {
  return crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), algorithm, false, ['sign'])
}

/** Positive, so that no decoder reads it as a negative integer. */
function serial(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return Buffer.from(bytes).toString('hex')
}
