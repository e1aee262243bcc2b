import type { IconName } from '../components/icon-paths.ts'

/** The rail, in the order of a board's life, in groups. `key` follows G. `also`: routes that belong to the place. */
export const destinations: readonly {
  readonly name: string
  readonly path: string
  readonly icon: IconName
  readonly key: string
  readonly group: 'boards' | 'talk' | 'abilities' | 'house'
  readonly also?: readonly string[]
}[] = [
  { name: 'fleet', path: '/fleet', icon: 'fleet', key: 'f', group: 'boards', also: ['device'] },
  { name: 'flash', path: '/flash', icon: 'flash', key: 'l', group: 'boards' },
  { name: 'conversations', path: '/conversations', icon: 'conversations', key: 'c', group: 'talk' },
  { name: 'telemetry', path: '/trends', icon: 'telemetry', key: 'e', group: 'talk' },
  {
    name: 'tools',
    path: '/toolbox',
    icon: 'tool',
    key: 't',
    group: 'abilities',
    also: ['tool', 'tool-access', 'tool-connections'],
  },
  { name: 'things', path: '/things', icon: 'things', key: 'h', group: 'abilities', also: ['thing'] },
  { name: 'uart', path: '/uart', icon: 'uart', key: 'u', group: 'abilities' },
  { name: 'helpers', path: '/helpers', icon: 'helpers', key: 'd', group: 'abilities' },
  { name: 'server', path: '/server', icon: 'server', key: 's', group: 'house' },
]
