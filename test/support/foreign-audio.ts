import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Speech and Opus by the programs of this machine (flite, opusenc, opusdec): other code than the product's.

/** The text as Opus packets of 60 ms, with silence behind it. */
export function foreignSpeech(text: string, silenceMs = 1_500): Buffer[] {
  return inFolder((folder) => {
    const [wav, opus] = [join(folder, 'in.wav'), join(folder, 'out.opus')]
    run('flite', ['-voice', 'slt', '-t', text, '-o', wav])
    const spoken = readFileSync(wav).subarray(44)
    writeFileSync(join(folder, 'raw'), Buffer.concat([spoken, Buffer.alloc((16_000 * 2 * silenceMs) / 1000)]))
    const format = ['--raw', '--raw-bits', '16', '--raw-rate', '16000', '--raw-chan', '1']
    run('opusenc', ['--quiet', ...format, '--framesize', '60', '--bitrate', '24', join(folder, 'raw'), opus])
    return oggPackets(readFileSync(opus)).slice(2)
  })
}

/** Loudness of Opus packets as opusdec hears them: root mean square of 16-bit samples. */
export function foreignLoudness(packets: readonly Buffer[]): { rms: number; ms: number } {
  return inFolder((folder) => {
    const [opus, raw] = [join(folder, 'in.opus'), join(folder, 'out.raw')]
    writeFileSync(opus, oggFile(packets))
    run('opusdec', ['--quiet', '--force-stereo', '--rate', '24000', opus, raw])
    const bytes = readFileSync(raw)
    let sum = 0
    for (let at = 0; at + 1 < bytes.length; at += 2) sum += bytes.readInt16LE(at) ** 2
    return { rms: Math.sqrt(sum / Math.max(1, bytes.length / 2)), ms: bytes.length / 4 / 24 }
  })
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'foreign-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args)
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}: ${String(stderr)}`)
}

/** RFC 3533: pages of lacing values; a packet ends at a value below 255. */
function oggPackets(file: Buffer): Buffer[] {
  const packets: Buffer[] = []
  let open: Buffer[] = []
  let at = 0
  while (at < file.length) {
    const count = file.readUInt8(at + 26)
    const lacing = file.subarray(at + 27, at + 27 + count)
    at += 27 + count
    for (const size of lacing) {
      open.push(file.subarray(at, at + size))
      at += size
      if (size === 255) continue
      packets.push(Buffer.concat(open))
      open = []
    }
  }
  return packets
}

function oggFile(packets: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead')
  head.set([1, 1], 8)
  head.writeUInt32LE(24_000, 12)
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.from([1, 0, 0, 0, 0x78, 0, 0, 0, 0])])
  const pages = [head, tags, ...packets].map((packet, index) => {
    // Granules count 48 kHz samples, 60 ms a packet.
    const granule = Math.max(0, index - 1) * 2880
    const flags = index === 0 ? 2 : index === packets.length + 1 ? 4 : 0
    return oggPage(packet, { granule, flags, index })
  })
  return Buffer.concat(pages)
}

function oggPage(packet: Buffer, { granule, flags, index }: { granule: number; flags: number; index: number }): Buffer {
  const lacing = [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255]
  const page = Buffer.concat([Buffer.alloc(27), Buffer.from(lacing), packet])
  page.write('OggS')
  page.writeUInt8(flags, 5)
  page.writeBigUInt64LE(BigInt(granule), 6)
  page.writeUInt32LE(7, 14)
  page.writeUInt32LE(index, 18)
  page.writeUInt8(lacing.length, 26)
  page.writeUInt32LE(oggCrc(page), 22)
  return page
}

function oggCrc(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x80000000) !== 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1
  }
  return crc >>> 0
}
