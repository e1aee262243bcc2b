import { createHash, randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { type ChipOptions, createVirtualChip, type VirtualChip } from './chip.ts'
import { parseFault } from './faults.ts'

/*
 * A flasher written from the tables of flashing.md §1 alone: it shares no code with the chip, so a mistake that the chip
 * makes on both ways of its own codec shows here.
 */
const le = (...values: number[]) => {
  const out = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => out.writeUInt32LE(value >>> 0, index * 4))
  return out
}
const slip = (raw: Buffer) =>
  Buffer.from(
    `c0${raw.toString('hex').replace(/../g, (b) => (b === 'c0' ? 'dbdc' : b === 'db' ? 'dbdd' : b))}c0`,
    'hex',
  )
const unslip = (hex: string) =>
  hex
    .replace(/../g, (b) => ` ${b}`)
    .replaceAll(' db dc', ' c0')
    .replaceAll(' db dd', ' db')
    .replaceAll(' ', '')
const xor = (bytes: Buffer) => bytes.reduce((sum, byte) => sum ^ byte, 0xef)

const chips: VirtualChip[] = []
afterEach(async () => {
  for (const chip of chips.splice(0)) await chip.close()
})

function connect(options: ChipOptions = {}) {
  const chip = createVirtualChip({ startIn: 'download', ...options })
  chips.push(chip)
  let received = Buffer.alloc(0)
  let wake = () => undefined as void
  let unplugged = false
  const side = chip.attach({
    send(bytes) {
      received = Buffer.concat([received, bytes])
      wake()
    },
    baud: () => undefined,
    unplugged: () => {
      unplugged = true
    },
  })
  /** The next frame, raw between its delimiters; undefined when none came in time. */
  async function frame(ms = 2000): Promise<Buffer | undefined> {
    const end = performance.now() + ms
    for (;;) {
      const start = received.indexOf(0xc0)
      const stop = start < 0 ? -1 : received.indexOf(0xc0, start + 1)
      if (stop > start + 1) {
        const raw = Buffer.from(unslip(received.subarray(start + 1, stop).toString('hex')), 'hex')
        received = received.subarray(stop + 1)
        return raw
      }
      const left = end - performance.now()
      if (left <= 0) return undefined
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const timer = AbortSignal.timeout(Math.ceil(left))
      timer.addEventListener('abort', () => resolve(undefined))
      wake = () => resolve(undefined)
      await promise
    }
  }
  const raw = (hex: string) => side.receive(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
  async function command(op: number, data: Buffer = Buffer.alloc(0), checksum = 0): Promise<string> {
    const head = Buffer.from([0, op, data.length & 0xff, data.length >> 8])
    await side.receive(slip(Buffer.concat([head, le(checksum), data])))
    const answer = await frame()
    return answer ? answer.subarray(8).toString('hex') : 'silence'
  }
  const block = (op: number, seq: number, payload: Buffer) =>
    command(op, Buffer.concat([le(payload.length, seq, 0, 0), payload]), xor(payload))
  async function startStub() {
    expect(await command(0x05, le(4, 1, 0x1800, 0x40378000))).toBe('00000000')
    expect(await block(0x07, 0, Buffer.from('abcd'))).toBe('00000000')
    expect(await command(0x06, le(0, 0x40378000))).toBe('00000000')
    expect((await frame())?.toString()).toBe('OHAI')
  }
  return {
    chip,
    side,
    raw,
    frame,
    command,
    block,
    startStub,
    text: () => received.toString('latin1'),
    lost: () => unplugged,
  }
}

const rest = async (frames: number, next: () => Promise<Buffer | undefined>) => {
  const all: string[] = []
  for (let i = 0; i < frames; i++) all.push((await next())?.toString('hex') ?? '')
  return all
}

test('the worked frames are answered byte for byte', async () => {
  const { raw, frame } = connect()
  await raw(`c0 00 08 24 00 00 00 00 00 07 07 12 20 ${'55'.repeat(32)} c0`)
  expect(await rest(8, frame)).toEqual(Array.from({ length: 8 }, () => '010804000707122000000000'))
  await raw('c0 00 0a 04 00 00 00 00 00 50 70 00 60 c0')
  expect((await frame())?.toString('hex')).toBe('010a04000000080200000000')
  await raw('c0 00 14 00 00 00 00 00 00 c0')
  expect((await frame())?.subarray(8).toString('hex')).toBe(`${'00'.repeat(12)}0900000000000000${'00'.repeat(4)}`)
})

test('an unknown command is refused eight times by the ROM and once, with FF, by the stub', async () => {
  const { command, frame, startStub } = connect()
  expect(await command(0xd0)).toBe('01050000')
  expect(await rest(7, frame)).toEqual(Array.from({ length: 7 }, () => '01d00400000000000' + '1050000'))
  await startStub()
  expect(await command(0x0e, le(0, 64))).toBe('ff00')
  expect(await frame(30)).toBeUndefined()
})

test('the ROM writes blocks of 0x400, reads 64 bytes back and tells its MD5 in text', async () => {
  const { chip, command, block } = connect()
  const image = randomBytes(0x800)
  expect(await command(0x0d, le(0, 0))).toBe('00000000')
  expect(await command(0x0b, le(0, 0x1000000, 0x10000, 0x1000, 0x100, 0xffff))).toBe('00000000')
  expect(await command(0x02, le(0x800, 2, 0x400, 0x900000, 0))).toBe('00000000')
  expect(await block(0x03, 0, image.subarray(0, 0x400))).toBe('00000000')
  expect(await block(0x03, 1, image.subarray(0x400))).toBe('00000000')
  expect(Buffer.compare(chip.flash.read(0x900000, 0x800), image)).toBe(0)
  const md5 = createHash('md5').update(image).digest('hex')
  expect(await command(0x13, le(0x900000, 0x800, 0, 0))).toBe(`${Buffer.from(md5).toString('hex')}00000000`)
  expect(await command(0x0e, le(0x900010, 64))).toBe(`${image.subarray(0x10, 0x50).toString('hex')}00000000`)
})

test('the ROM inflates too, and refuses what a real one refuses', async () => {
  const { chip, command, block } = connect()
  const image = Buffer.concat([randomBytes(700), Buffer.alloc(3000, 7)])
  const packed = deflateSync(image)
  expect(await command(0x10, le(0x1000, 1, 0x400, 0x20000, 0))).toBe('00000000')
  expect(await block(0x11, 0, packed)).toBe('00000000')
  expect(Buffer.compare(chip.flash.read(0x20000, image.length), image)).toBe(0)
  expect(await block(0x11, 1, Buffer.from('no zlib'))).toBe('00000000')
  // Without the fifth word; past the 2 MB that a ROM takes for granted; a block of the stub's size.
  expect(await command(0x02, le(0x400, 1, 0x400, 0))).toBe('01050000')
  expect(await command(0x02, le(0x400, 1, 0x400, 0x200000, 0))).toBe('01060000')
  expect(await command(0x02, le(0x4000, 1, 0x4000, 0, 0))).toBe('00000000')
  expect(await block(0x03, 0, Buffer.alloc(0x4000))).toBe('01050000')
  expect(await command(0x03, Buffer.concat([le(4, 0, 0, 0), Buffer.from('abcd')]), 0)).toBe('01070000')
})

test('the stub writes compressed data, answers MD5 in raw bytes, and is there for a second host', async () => {
  const { chip, command, block, startStub, raw, frame } = connect()
  await startStub()
  await raw(`c0 00 08 24 00 00 00 00 00 07 07 12 20 ${'55'.repeat(32)} c0`)
  expect(await rest(8, frame)).toEqual(Array.from({ length: 8 }, () => '01080200000000000000'))
  const image = Buffer.concat([randomBytes(0x5000), Buffer.alloc(0x5004, 0x33)])
  const packed = deflateSync(image)
  expect(await command(0x10, le(image.length, 2, 0x4000, 0x40000))).toBe('0000')
  expect(await block(0x11, 0, packed.subarray(0, 0x4000))).toBe('0000')
  expect(await block(0x11, 1, packed.subarray(0x4000))).toBe('0000')
  expect(await command(0x12, le(1))).toBe('0000')
  expect(Buffer.compare(chip.flash.read(0x40000, image.length), image)).toBe(0)
  const md5 = createHash('md5').update(image).digest('hex')
  expect(await command(0x13, le(0x40000, image.length, 0, 0))).toBe(`${md5}0000`)
})

test('a compressed block that comes twice is inflated twice: the error shows one answer late', async () => {
  const { command, block, startStub } = connect()
  await startStub()
  const packed = deflateSync(randomBytes(0xc000))
  expect(await command(0x10, le(0xc000, 4, 0x4000, 0x40000))).toBe('0000')
  expect(await block(0x11, 0, packed.subarray(0, 0x4000))).toBe('0000')
  expect(await block(0x11, 0, packed.subarray(0, 0x4000))).toBe('0000')
  let late = ''
  for (const at of [0x4000, 0x8000, 0xc000]) late = await block(0x11, 1, packed.subarray(at, at + 0x4000))
  expect(late).toBe('c700')
  expect(await command(0x12, le(1))).toBe('c700')
})

test('too little and too much data, a wrong sum and data outside of a job have their codes', async () => {
  const { command, block, startStub } = connect()
  await startStub()
  expect(await block(0x11, 0, deflateSync(Buffer.alloc(16)))).toBe('c600')
  expect(await command(0x12, le(1))).toBe('c600')
  await command(0x10, le(0x2000, 1, 0x4000, 0x40000))
  expect(await block(0x11, 0, deflateSync(Buffer.alloc(0x1000)))).toBe('0000')
  expect(await command(0x12, le(1))).toBe('c800')
  await command(0x10, le(0x1000, 1, 0x4000, 0x40000))
  expect(await block(0x11, 0, deflateSync(Buffer.alloc(0x2000)))).toBe('0000')
  expect(await command(0x12, le(1))).toBe('c900')
  await command(0x02, le(4, 1, 0x4000, 0x40000))
  expect(await command(0x03, Buffer.concat([le(4, 0, 0, 0), Buffer.from('abcd')]), 0)).toBe('c100')
  expect(await command(0x03, Buffer.concat([le(9, 0, 0, 0), Buffer.from('abcd')]), xor(Buffer.from('abcd')))).toBe(
    'c000',
  )
  expect(await command(0x02, le(0x1000, 1, 0x4000, 0xfff800))).toBe('c400')
  expect(await command(0x02, le(0x1000, 1, 0x8000, 0))).toBe('c200')
})

test('a read keeps to its frames in flight and ends with the digest', async () => {
  const { chip, command, startStub, side, frame } = connect()
  await startStub()
  const image = randomBytes(0x3800)
  chip.flash.write(0x10000, image)
  expect(await command(0xd2, le(0x10000, image.length, 0x1000, 2))).toBe('0000')
  const parts: Buffer[] = []
  for (let got = 0; got < image.length;) {
    const waiting = [await frame(), ...(parts.length === 0 ? [await frame(), await frame(30)] : [])]
    for (const part of waiting) if (part) parts.push(part)
    if (parts.length === 2) expect(waiting[2]).toBeUndefined()
    got = parts.reduce((sum, part) => sum + part.length, 0)
    await side.receive(slip(le(got)))
  }
  expect(Buffer.compare(Buffer.concat(parts), image)).toBe(0)
  expect((await frame())?.toString('hex')).toBe(createHash('md5').update(image).digest('hex'))
  expect(await command(0x0a, le(0x40001000))).toBe('0000')
})

test('the stub erases regions of whole sectors and the whole chip', async () => {
  const { chip, command, startStub } = connect()
  await startStub()
  for (const offset of [0x1000, 0x2000, 0x800000]) chip.flash.write(offset, new Uint8Array([0]))
  expect(await command(0xd1, le(0x1000, 0x1000))).toBe('0000')
  expect([0x1000, 0x2000].map((offset) => chip.flash.read(offset, 1)[0])).toEqual([0xff, 0])
  expect(await command(0xd1, le(0x1001, 0x1000))).not.toBe('0000')
  expect(await command(0xd1, le(0x1000, 0x800))).not.toBe('0000')
  expect(await command(0xd0)).toBe('0000')
  expect(chip.flash.read(0x800000, 1)[0]).toBe(0xff)
})

test('secure boot starts no stub; Secure Download Mode leaves plain writing and nothing else', async () => {
  const signed = connect({ faults: [parseFault('secure-boot')] })
  expect((await signed.command(0x14)).slice(0, 2)).toBe('01')
  expect(await signed.command(0x06, le(0, 0x40378000))).toBe('00000000')
  expect(await signed.frame(30)).toBeUndefined()
  const { command, block, chip } = connect({ faults: [parseFault('secure-download')] })
  expect((await command(0x14)).slice(0, 2)).toBe('04')
  expect(await command(0x02, le(0x400, 1, 0x400, 0, 0))).toBe('00000000')
  expect(await block(0x03, 0, Buffer.alloc(0x400, 5))).toBe('00000000')
  expect(chip.flash.read(0, 1)[0]).toBe(5)
  expect(await command(0x0a, le(0x40001000))).toBe('01050000')
})

test('faults of a block do what they say', async () => {
  const specs = ['checksum@block=1', 'lost-answer@block=3', 'reboot@block=4']
  const board = connect({ faults: specs.map(parseFault) })
  await board.startStub()
  await board.command(0x02, le(0x100, 4, 0x4000, 0))
  const payload = Buffer.alloc(4, 1)
  expect([await board.block(0x03, 0, payload), await board.block(0x03, 0, payload)]).toEqual(['c100', '0000'])
  void board.block(0x03, 1, payload)
  await expect.poll(() => board.chip.flash.read(4, 1)[0]).toBe(1)
  void board.block(0x03, 2, payload)
  await expect.poll(() => board.text()).toContain('rst:0xf (BROWNOUT_RST),boot:0x8')
  expect(board.chip.flash.read(8, 1)[0]).toBe(0xff)
  const cable = connect({ faults: [parseFault('unplug@block=1')] })
  await cable.startStub()
  void cable.block(0x03, 0, payload)
  await expect.poll(() => cable.lost()).toBe(true)
  expect(cable.chip.powered()).toBe(false)
})

test('over USB-OTG only blocks of 0x800 fit, and every command is seen before it is done', async () => {
  const ops: number[] = []
  const { command, block, startStub } = connect({ console: 'usb-otg', onCommand: (op) => void ops.push(op) })
  await command(0x05, le(0x1000, 1, 0x1800, 0x40378000))
  expect(await block(0x07, 0, Buffer.alloc(0x801))).toBe('01050000')
  await startStub()
  expect(await command(0x02, le(0x800, 1, 0x4000, 0))).toBe('c200')
  expect(await command(0x02, le(0x800, 1, 0x800, 0))).toBe('0000')
  expect(await block(0x03, 0, Buffer.alloc(0x800))).toBe('0000')
  expect(ops).toEqual([0x05, 0x07, 0x05, 0x07, 0x06, 0x02, 0x02, 0x03])
})

test('md5-flip clears one bit of what was written', async () => {
  const { chip, command, block, startStub } = connect({ faults: [parseFault('md5-flip')] })
  await startStub()
  const image = Buffer.alloc(0x1000, 0xff)
  await command(0x02, le(0x1000, 1, 0x4000, 0x1000))
  await block(0x03, 0, image)
  await command(0x04, le(1))
  const written = chip.flash.read(0x1000, 0x1000)
  expect(written.reduce((ones, byte) => ones + (8 - byte.toString(2).replaceAll('0', '').length), 0)).toBe(1)
  expect(await command(0x13, le(0x1000, 0x1000, 0, 0))).not.toBe(`${createHash('md5').update(image).digest('hex')}0000`)
})

test('a slow flash takes its time for each 64 KiB, and a reset ends the wait', async () => {
  const { chip, command, startStub } = connect({ faults: [parseFault('slow-erase=40')] })
  await startStub()
  const start = performance.now()
  expect(await command(0xd1, le(0, 0x20000))).toBe('0000')
  expect(performance.now() - start).toBeGreaterThan(70)
  void command(0xd0)
  chip.pressReset(true)
  expect((await command(0x14)).endsWith('00000000')).toBe(true)
})
