import { hostname, networkInterfaces } from 'node:os'
import { isIP } from 'node:net'

/** One address of this machine with its subnet, as `a.b.c.d/24` or `fe80::…/64`. */
export interface OwnAddress {
  readonly address: string
  readonly cidr: string
  readonly internal: boolean
}

/** Every address that the network interfaces have now, loopback too. */
export function ownAddresses(): OwnAddress[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address, cidr, internal }) => ({
      address: plainAddress(address),
      cidr: cidr ?? (isIP(address) === 4 ? `${address}/32` : `${address}/128`),
      internal,
    })),
  )
}

/** Those that another machine can reach, IPv4 first: what a person types. */
export function lanAddresses(own: readonly OwnAddress[]): string[] {
  const outside = own.filter(({ address, internal }) => !internal && !address.startsWith('fe80:'))
  return outside.map(({ address }) => address).toSorted((a, b) => isIP(a) - isIP(b))
}

/** The names under which this machine is reached: `localhost` and its mDNS name. */
export function ownNames(host = hostname()): string[] {
  const label = host.split('.', 1)[0]?.toLowerCase() ?? ''
  return /^[a-z0-9-]{1,63}$/.test(label) ? ['localhost', `${label}.local`] : ['localhost']
}

/** Without the zone of a link-local address, and IPv4 as itself where a dual-stack socket wraps it. */
export function plainAddress(address: string): string {
  const unzoned = address.split('%', 1)[0] ?? ''
  return unzoned.startsWith('::ffff:') && isIP(unzoned.slice(7)) === 4 ? unzoned.slice(7) : unzoned.toLowerCase()
}

/** `host[:port]` of a Host header as the bare name or address; undefined when it is none. */
export function hostOf(header: string | undefined): string | undefined {
  if (header === undefined || !/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(:\d{1,5})?$/.test(header)) return undefined
  const host = header.startsWith('[') ? header.slice(1, header.indexOf(']')) : header.replace(/:\d+$/, '')
  return plainAddress(host.toLowerCase().replace(/\.$/, ''))
}

export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
