import type { Device } from '../../electron/contract/device.ts'
import { failedRules } from './board-health.ts'

/** One chip: `state:offline`, `fw<2.4`, `virtual:yes`. `broken` holds what could not be read, so that it is shown. */
export type FleetTerm =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'state'; readonly state: string }
  | { readonly kind: 'firmware'; readonly compare: '<' | '>' | '='; readonly version: string }
  | { readonly kind: 'virtual'; readonly yes: boolean }
  | { readonly kind: 'broken'; readonly text: string }

const STATES = ['online', 'offline', 'problem', 'connecting', 'idle', 'listening', 'thinking', 'speaking']

/** The filter language of the Fleet page: words and `key:value` terms, all of which must hold. */
export function parseFleetFilter(query: string): readonly FleetTerm[] {
  return query
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word): FleetTerm => {
      const state = /^state:(.*)$/i.exec(word)?.[1]?.toLowerCase()
      if (state !== undefined) return STATES.includes(state) ? { kind: 'state', state } : { kind: 'broken', text: word }
      const virtual = /^virtual:(yes|no)$/i.exec(word)?.[1]
      if (virtual !== undefined) return { kind: 'virtual', yes: virtual.toLowerCase() === 'yes' }
      const firmware = /^fw([<>=])(\d[\w.+-]*)$/i.exec(word)
      if (firmware) return { kind: 'firmware', compare: firmware[1] as '<' | '>' | '=', version: firmware[2] ?? '' }
      if (/^(state|virtual|fw)[:<>=]/i.test(word)) return { kind: 'broken', text: word }
      return { kind: 'text', text: word.toLowerCase() }
    })
}

/** By numbers first, so 2.10 is newer than 2.9; a pre-release is older than its release. */
export function compareVersions(left: string, right: string): number {
  const split = (version: string) => version.split(/[.+-]/)
  const [a, b] = [split(left), split(right)]
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [x, y] = [a[index], b[index]]
    if (x === undefined || y === undefined) return missing(x ?? y ?? '') * (x === undefined ? -1 : 1)
    const order = /^\d+$/.test(x) && /^\d+$/.test(y) ? Number(x) - Number(y) : x < y ? -1 : x > y ? 1 : 0
    if (order !== 0) return Math.sign(order)
  }
  return 0
}

// "2.4.1" is newer than "2.4" but "2.4-rc1" is older.
const missing = (extra: string) => (/^\d+$/.test(extra) ? 1 : -1)

function holds(term: FleetTerm, device: Device): boolean {
  switch (term.kind) {
    case 'text':
      return [device.name, device.id, device.board, device.firmware.name].some((text) =>
        text.toLowerCase().includes(term.text),
      )
    case 'state':
      if (term.state === 'online') return device.presence.online
      if (term.state === 'offline') return !device.presence.online
      if (term.state === 'problem') return failedRules(device).length > 0
      return device.presence.online && device.state === term.state
    case 'firmware': {
      const order = compareVersions(device.firmware.version, term.version)
      return term.compare === '<' ? order < 0 : term.compare === '>' ? order > 0 : order === 0
    }
    case 'virtual':
      return device.virtual === term.yes
    case 'broken':
      return true
  }
}

export function filterFleet(devices: readonly Device[], terms: readonly FleetTerm[]): readonly Device[] {
  return terms.length === 0 ? devices : devices.filter((device) => terms.every((term) => holds(term, device)))
}
