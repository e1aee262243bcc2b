import { isIPv4, isIPv6 } from 'node:net'
import { AppError } from '../../../base/app-error.ts'
import type { ModelReach } from '../../../contract/model.ts'

export interface ModelAddress {
  /** Where requests go: ends with `/chat/completions`. */
  readonly url: string
  /** Scheme, host and port: a key is kept for one of them. */
  readonly origin: string
  /** With the port, as a person knows it. */
  readonly host: string
  readonly reach: ModelReach
  readonly encrypted: boolean
}

/**
 * Reads what the model's program tells a person: with or without `/v1`, also the whole `…/chat/completions`. Throws
 * model-bad-address, and model-not-encrypted for plain http that leaves the private network.
 */
export function readModelAddress(text: string): ModelAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new AppError('model-bad-address', 'An address begins with http:// or https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError(
      'model-bad-address',
      'A name or password in an address would be shown; the key has its own field',
    )
  }
  if (url.search !== '' || url.hash !== '') {
    throw new AppError('model-bad-address', 'An address of a model has no "?" and no "#"')
  }
  const encrypted = url.protocol === 'https:'
  const reach = reachOf(url.hostname)
  if (!encrypted && reach === 'internet') {
    throw new AppError('model-not-encrypted', `${url.host} is outside of the local network`)
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
  const base = `${url.origin}${path === '' ? '/v1' : path}`
  return { url: `${base}/chat/completions`, origin: url.origin, host: url.host, reach, encrypted }
}

/** By the name alone: what a DNS server answers is not asked. */
export function reachOf(hostname: string): ModelReach {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (host === 'localhost' || host.endsWith('.localhost')) return 'here'
  if (isIPv4(host)) return reachOfIpv4(host)
  if (isIPv6(host)) return reachOfIpv6(host)
  // A name without a dot, and the suffixes that no public name has.
  return !host.includes('.') || /\.(?:local|lan|internal|home\.arpa)$/.test(host) ? 'lan' : 'internet'
}

function reachOfIpv4(host: string): ModelReach {
  if (host.startsWith('127.')) return 'here'
  const isPrivate = /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(host)
  return isPrivate ? 'lan' : 'internet'
}

function reachOfIpv6(host: string): ModelReach {
  if (host === '::1') return 'here'
  // Unique local and link-local. An IPv4 address in IPv6 dress gets no leave: it is written plainly instead.
  return /^(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/.test(host) ? 'lan' : 'internet'
}
