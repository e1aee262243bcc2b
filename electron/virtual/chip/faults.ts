import { AppError } from '../../base/app-error.ts'

/** Block numbers count the blocks of flash data that the chip has received since it was made, from 1. */
export type Fault =
  | { readonly kind: 'unplug' | 'lost-answer' | 'checksum' | 'reboot'; readonly block: number }
  | { readonly kind: 'wrong-chip'; readonly chipId: number }
  | { readonly kind: 'slow-erase'; readonly ms: number }
  | { readonly kind: 'pace'; readonly baud: number }
  | { readonly kind: FlagFault }

const flags = [
  'checksum-always',
  'noise',
  'stuck-in-app',
  'secure-boot',
  'secure-download',
  'flash-encryption',
  'dead-flash',
  'md5-flip',
  'baud-refusal',
] as const
type FlagFault = (typeof flags)[number]

/** One line a fault, for `--help`. */
export const faultHelp: readonly (readonly [spec: string, meaning: string])[] = [
  [
    'unplug@block=N',
    'the cable is pulled when the Nth block of flash data arrives (counted from 1, over the whole run)',
  ],
  ['lost-answer@block=N', 'block N is written, but its answer is lost'],
  ['checksum@block=N', 'block N is answered with a checksum error, once'],
  ['checksum-always', 'every block of flash data is answered with a checksum error'],
  ['noise', 'garbage bytes before every answer'],
  ['reboot@block=N', 'brown-out when block N arrives: the chip prints its banner and boots'],
  ['stuck-in-app', 'the BOOT line has no effect: every reset boots the flash'],
  ['wrong-chip=ID', 'the chip is another one, by its image chip id (0 ESP32, 2 S2, 5 C3, 13 C6 …)'],
  ['secure-boot', 'secure boot is on: no stub can be started'],
  ['secure-download', 'Secure Download Mode: plain flash writing and nothing else'],
  ['flash-encryption', 'flash encryption is on'],
  ['dead-flash', 'no flash answers: its id reads FFFFFF and nothing is kept'],
  ['md5-flip', 'one bit of what was written flips in the flash'],
  ['baud-refusal', 'a change of the baud rate is acknowledged and not done'],
  ['slow-erase=MS', 'erasing takes MS milliseconds for each 64 KiB'],
  ['pace=BAUD', 'bytes to the board take the time of the wire, at the current baud rate, BAUD at most'],
]

interface Numeric {
  readonly min: number
  readonly max: number
  make(value: number): Fault
}

const atBlock: Record<string, (block: number) => Fault> = {
  unplug: (block) => ({ kind: 'unplug', block }),
  'lost-answer': (block) => ({ kind: 'lost-answer', block }),
  checksum: (block) => ({ kind: 'checksum', block }),
  reboot: (block) => ({ kind: 'reboot', block }),
}

const numeric: Record<string, Numeric> = {
  'wrong-chip': { min: 0, max: 0xffff, make: (chipId) => ({ kind: 'wrong-chip', chipId }) },
  'slow-erase': { min: 1, max: 60_000, make: (ms) => ({ kind: 'slow-erase', ms }) },
  pace: { min: 300, max: 10_000_000, make: (baud) => ({ kind: 'pace', baud }) },
}

/** Throws `server-bad-usage` with what is wrong and how it is written. */
export function parseFault(spec: string): Fault {
  const flag = flags.find((name) => name === spec)
  if (flag) return { kind: flag }
  const block = /^([a-z-]+)@block=(.*)$/.exec(spec)
  const blockFault = block && ownValue(atBlock, block[1])
  if (block && blockFault) return blockFault(numberIn(spec, block[2], { min: 1, max: 1_000_000 }))
  const value = /^([a-z-]+)=(.*)$/.exec(spec)
  const valueFault = value && ownValue(numeric, value[1])
  if (value && valueFault) return valueFault.make(numberIn(spec, value[2], valueFault))
  const known = faultHelp.map(([form]) => form).join(', ')
  throw new AppError('server-bad-usage', `There is no fault "${spec}". Known: ${known}`)
}

function ownValue<T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

function numberIn(spec: string, text: string | undefined, range: { min: number; max: number }): number {
  const value = /^\d{1,9}$/.test(text ?? '') ? Number(text) : NaN
  if (value >= range.min && value <= range.max) return value
  throw new AppError(
    'server-bad-usage',
    `In "${spec}" the number must be a whole one from ${range.min} to ${range.max}`,
  )
}

/** What the faults of one chip say now; faults of a block fire once. */
export interface FaultPlan {
  has(kind: FlagFault): boolean
  readonly chipId: number
  readonly slowEraseMs: number
  /** Undefined: the wire costs no time. */
  readonly paceBaud: number | undefined
  /** To be called once for each block of flash data that arrives. */
  blockArrived(): ReadonlySet<'unplug' | 'lost-answer' | 'checksum' | 'reboot'>
}

export function createFaultPlan(faults: readonly Fault[]): FaultPlan {
  let blocks = 0
  const find = <K extends Fault['kind']>(kind: K) =>
    faults.find((fault): fault is Extract<Fault, { kind: K }> => fault.kind === kind)
  return {
    has: (kind) => faults.some((fault) => fault.kind === kind),
    chipId: find('wrong-chip')?.chipId ?? 9,
    slowEraseMs: find('slow-erase')?.ms ?? 0,
    paceBaud: find('pace')?.baud,
    blockArrived() {
      blocks++
      const now = new Set<'unplug' | 'lost-answer' | 'checksum' | 'reboot'>()
      for (const fault of faults) if ('block' in fault && fault.block === blocks) now.add(fault.kind)
      if (faults.some((fault) => fault.kind === 'checksum-always')) now.add('checksum')
      return now
    },
  }
}
