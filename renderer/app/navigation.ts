import type { IconName } from '../components/icon-paths.ts'

/** The rail, in the order of a board's life. `key` follows G. */
export const destinations: readonly {
  readonly name: string
  readonly path: string
  readonly icon: IconName
  readonly key: string
}[] = [
  { name: 'fleet', path: '/fleet', icon: 'fleet', key: 'f' },
  { name: 'flash', path: '/flash', icon: 'flash', key: 'l' },
  { name: 'conversations', path: '/conversations', icon: 'conversations', key: 'c' },
  { name: 'telemetry', path: '/trends', icon: 'telemetry', key: 'e' },
  { name: 'server', path: '/server', icon: 'server', key: 's' },
]
