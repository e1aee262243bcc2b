import { BlockList, isIP } from 'node:net'
import type { OwnAddress } from './addresses.ts'

/** Names and ranges that a local CA may speak for. */
export interface Permitted {
  readonly names: readonly string[]
  /** `address/prefix`, both families. */
  readonly ranges: readonly string[]
}

const privateRanges = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fe80::/10',
  'fc00::/7',
]

/** Private ground, and every subnet that the machine has when the CA is made. */
export function permittedFor(own: readonly OwnAddress[]): Permitted {
  const subnets = own.map(({ cidr }) => networkOf(cidr)).filter((range) => !covers(privateRanges, range))
  return { names: ['local', 'localhost'], ranges: [...privateRanges, ...new Set(subnets)] }
}

export function covers(ranges: readonly string[], address: string): boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6')
  }
  const bare = address.split('/', 1)[0] ?? ''
  return list.check(bare, isIP(bare) === 4 ? 'ipv4' : 'ipv6')
}

function networkOf(cidr: string): string {
  const [address = '', prefix = ''] = cidr.split('/')
  const masked = addressBytes(address).map((byte, index) => byte & maskByte(Number(prefix), index))
  return `${formatBytes(masked)}/${prefix}`
}

/**
 * The DER of the extension 2.5.29.30 (RFC 5280 §4.2.1.10): SEQUENCE { [0] permittedSubtrees }. DNS names go without a
 * leading dot, which covers the name and everything below it; an address is followed by its mask.
 */
export function encodeNameConstraints({ names, ranges }: Permitted): Uint8Array {
  const subtrees = [
    ...names.map((name) => der(0x30, der(0x82, Buffer.from(name, 'ascii')))),
    ...ranges.map((range) => der(0x30, der(0x87, rangeBytes(range)))),
  ]
  return der(0x30, der(0xa0, Buffer.concat(subtrees)))
}

/** The other direction, for a CA that was made earlier. Throws a RangeError on anything that `encode` does not write. */
export function decodeNameConstraints(bytes: Uint8Array): Permitted {
  const names: string[] = []
  const ranges: string[] = []
  for (const subtree of children(only(only(bytes, 0x30), 0xa0))) {
    const { tag, body } = first(subtree.body)
    if (tag === 0x82) names.push(Buffer.from(body).toString('ascii'))
    else if (tag === 0x87) ranges.push(rangeText(body))
    else throw new RangeError(`Name constraints hold the unknown tag ${tag}`)
  }
  return { names, ranges }
}

function der(tag: number, body: Uint8Array): Buffer {
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

interface Element {
  readonly tag: number
  readonly body: Uint8Array
  readonly end: number
}

function first(bytes: Uint8Array): Element {
  const [tag = 0, short = 0, high = 0, low = 0] = bytes
  const [start, length] = short < 0x80 ? [2, short] : short === 0x81 ? [3, high] : [4, (high << 8) | low]
  const end = start + length
  if (bytes.length < 2 || short > 0x82 || end > bytes.length) throw new RangeError('Name constraints are cut off')
  return { tag, body: bytes.subarray(start, end), end }
}

function only(bytes: Uint8Array, tag: number): Uint8Array {
  const element = first(bytes)
  if (element.tag !== tag) throw new RangeError(`Name constraints: tag ${element.tag} in place of ${tag}`)
  return element.body
}

function children(bytes: Uint8Array): Element[] {
  const found: Element[] = []
  for (let rest = bytes; rest.length > 0;) {
    const element = first(rest)
    found.push(element)
    rest = rest.subarray(element.end)
  }
  return found
}

function rangeBytes(range: string): Uint8Array {
  const [network = '', prefix] = range.split('/')
  const address = addressBytes(network)
  const mask = address.map((_, index) => maskByte(Number(prefix), index))
  return Uint8Array.from([...address, ...mask])
}

function rangeText(body: Uint8Array): string {
  const half = body.length / 2
  if (half !== 4 && half !== 16) throw new RangeError(`Name constraints hold an address of ${body.length} bytes`)
  const bits = [...body.subarray(half)].reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
  return `${formatBytes([...body.subarray(0, half)])}/${bits}`
}

function maskByte(prefix: number, index: number): number {
  const bits = Math.min(8, Math.max(0, prefix - index * 8))
  return (0xff << (8 - bits)) & 0xff
}

function addressBytes(address: string): number[] {
  if (isIP(address) === 4) return address.split('.').map(Number)
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const after = groups(tail ?? '')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const all = tail === undefined ? before : [...before, ...zeros, ...after]
  return all.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff])
}

function formatBytes(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0))
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]/`).hostname.slice(1, -1)
}
