import { bootLogger } from './boot-text.ts'
import type { FlashArray } from './flash-array.ts'
import { type AppDescriptor, type FlashedImage, type ImageProblem, readFlashedImage } from './image-reader.ts'
import { bootOrder, type Partition, readPartitionTable, tableBytes, tableOffset } from './partition-reader.ts'

export type BootOutcome =
  /** The ROM or the bootloader gives up and the watchdog starts it again. */
  | { readonly kind: 'loop' }
  | {
      readonly kind: 'app'
      readonly app: AppDescriptor | undefined
      readonly partition: Partition
      readonly nvs: Partition | undefined
    }

export interface Boot {
  /** What the console shows after the ROM's banner, line by line. */
  readonly lines: readonly string[]
  readonly outcome: BootOutcome
}

/** What happens with these flash contents when the chip starts from flash (flashing.md §4, §5). */
export function planBoot(flash: FlashArray, chipId: number): Boot {
  const lines: string[] = []
  const first = readFlashedImage(flash.read(0, tableOffset), chipId)
  if (!first.ok && first.problem !== 'hash') return { lines: romRefusal(first, chipId), outcome: { kind: 'loop' } }
  lines.push(...loadLines(first.image))
  // A stale digest is told and not acted on: the ROM starts the bootloader all the same.
  if (!first.ok) lines.push(...hashLines(first))
  lines.push(`entry 0x${hex(first.image.entry)}`)
  return secondStage(flash, { chipId, bootloader: first.image, lines })
}

interface SecondStage {
  readonly chipId: number
  readonly bootloader: FlashedImage
  readonly lines: string[]
}

function secondStage(flash: FlashArray, { chipId, bootloader, lines }: SecondStage): Boot {
  const log = bootLogger()
  const say = (level: 'I' | 'W' | 'E', tag: string, message: string) => void lines.push(log(level, tag, message))
  const loop = (): Boot => ({ lines, outcome: { kind: 'loop' } })

  say('I', 'boot', 'ESP-IDF v5.4 2nd stage bootloader')
  say('I', 'boot', 'Multicore bootloader')
  say('I', 'boot', 'chip revision: v0.2')
  say('I', 'boot.esp32s3', 'Boot SPI Speed : 80MHz')
  say('I', 'boot.esp32s3', `SPI Mode       : ${modeNames[bootloader.mode] ?? 'SLOW READ'}`)
  say('I', 'boot.esp32s3', `SPI Flash Size : ${bootloader.flashBytes / 0x100000}MB`)
  if (bootloader.flashBytes > flash.size) {
    const [real, said] = [flash.size / 1024, bootloader.flashBytes / 1024]
    say(
      'E',
      'spi_flash',
      `Detected size(${real}k) smaller than the size in the binary image header(${said}k). Probe failed.`,
    )
    lines.push('assert failed: do_core_init startup.c:328 (flash_ret == ESP_OK)')
    return loop()
  }
  const table = readPartitionTable(flash.read(tableOffset, tableBytes), flash.size)
  if (!table.ok) {
    const what = {
      magic: () => `partition 0 invalid magic number 0x${table.problem === 'magic' ? table.found.toString(16) : ''}`,
      md5: () => 'partition table MD5 does not match',
      range: () => `partition table exceeds flash chip size 0x${flash.size.toString(16)}`,
    }[table.problem]()
    say('E', 'flash_parts', what)
    say('E', 'boot', 'Failed to verify partition table')
    say('E', 'boot', 'load partition table error!')
    return loop()
  }
  lines.push(...tableLines(table.partitions, log))
  const otadata = table.partitions.find(({ type, subtype }) => type === 1 && subtype === 0)
  const order = bootOrder(table.partitions, otadata && flash.read(otadata.offset, otadata.size))
  for (const partition of order) {
    const found = readFlashedImage(flash.read(partition.offset, partition.size), chipId)
    if (!found.ok) {
      say('E', 'esp_image', appRefusal(found, partition))
      say('E', 'boot', `OTA app partition slot ${Math.max(0, partition.subtype - 0x10)} is not bootable`)
      continue
    }
    for (const [index, { offset, address, length }] of found.image.segments.entries()) {
      const at = `paddr=${hex(partition.offset + offset)} vaddr=${hex(address)} size=${hex(length, 5)}h`
      say('I', 'esp_image', `segment ${index}: ${at} (${String(length).padStart(6)}) load`)
    }
    say('I', 'boot', `Loaded app from partition at offset 0x${partition.offset.toString(16)}`)
    say('I', 'cpu_start', 'Multicore app')
    lines.push(...descriptorLines(found.image.descriptor, log))
    const nvs = table.partitions.find(({ type, subtype }) => type === 1 && subtype === 2)
    return { lines, outcome: { kind: 'app', app: found.image.descriptor, partition, nvs } }
  }
  say('E', 'boot', 'No bootable app partitions in the partition table')
  return loop()
}

const modeNames: Readonly<Record<number, string>> = { 0: 'QIO', 1: 'QOUT', 2: 'DIO', 3: 'DOUT' }

function romRefusal(problem: ImageProblem, chipId: number): readonly string[] {
  switch (problem.problem) {
    case 'magic':
      return Array.from({ length: 4 }, () => `invalid header: 0x${hex(problem.found)}`)
    case 'chip':
      return [`E (24) boot_comm: mismatch chip ID, expected ${chipId}, found ${problem.found}`]
    case 'segments':
      return [`invalid segment count 0x${problem.count.toString(16)}`]
    case 'checksum':
      return [`csum err:0x${hex(problem.found, 2)}!=0x${hex(problem.expected, 2)}`, 'ets_main.c 329']
    case 'hash':
      return hashLines(problem)
  }
}

function appRefusal(problem: ImageProblem, { offset }: Partition): string {
  const at = `0x${offset.toString(16)}`
  switch (problem.problem) {
    case 'magic':
      return `image at ${at} has invalid magic byte (nothing flashed here?)`
    case 'chip':
      return `image at ${at} is for chip ${problem.found}`
    case 'segments':
      return `image at ${at} has a segment past its end (${problem.count} segments)`
    case 'checksum':
      return `Checksum failed. Calculated 0x${hex(problem.expected, 2)} read 0x${hex(problem.found, 2)}`
    case 'hash':
      return `Image hash failed - image is corrupt (${problem.found.slice(0, 16)})`
  }
}

function hashLines({ found, expected }: { found: string; expected: string }): readonly string[] {
  return ['SHA-256 comparison failed:', `Calculated: ${found}`, `Expected: ${expected}`, 'Attempting to boot anyway...']
}

function loadLines({ mode, segments }: FlashedImage): readonly string[] {
  return [
    'SPIWP:0xee',
    `mode:${modeNames[mode] ?? 'SLOW'}, clock div:1`,
    ...segments.map(({ address, length }) => `load:0x${hex(address)},len:0x${length.toString(16)}`),
  ]
}

function tableLines(partitions: readonly Partition[], log: ReturnType<typeof bootLogger>): readonly string[] {
  const usage = ({ type, subtype }: Partition) => {
    if (type === 0) return subtype === 0 ? 'factory app' : 'OTA app'
    const names: Readonly<Record<number, string>> = { 0: 'OTA data', 1: 'RF data', 2: 'WiFi data' }
    return names[subtype] ?? 'Unknown data'
  }
  const head = [
    log('I', 'boot', 'Partition Table:'),
    log('I', 'boot', '## Label            Usage          Type ST Offset   Length'),
  ]
  const rows = partitions.map((row, index) => {
    const kind = `${usage(row).padEnd(16)} ${hex(row.type, 2)} ${hex(row.subtype, 2)}`
    return log(
      'I',
      'boot',
      `${String(index).padStart(2)} ${row.label.padEnd(16)} ${kind} ${hex(row.offset)} ${hex(row.size)}`,
    )
  })
  return [...head, ...rows, log('I', 'boot', 'End of partition table')]
}

function descriptorLines(app: AppDescriptor | undefined, log: ReturnType<typeof bootLogger>): readonly string[] {
  if (!app) return []
  return [
    log('I', 'app_init', 'Application information:'),
    log('I', 'app_init', `Project name:     ${app.project}`),
    log('I', 'app_init', `App version:      ${app.version}`),
    log('I', 'app_init', `Compile time:     ${app.date} ${app.time}`),
    log('I', 'app_init', `ELF file SHA256:  ${app.elfSha256.slice(0, 9)}...`),
    log('I', 'app_init', `ESP-IDF:          ${app.idf}`),
    log('I', 'main_task', 'Calling app_main()'),
  ]
}

function hex(value: number, digits = 8): string {
  return value.toString(16).padStart(digits, '0')
}
