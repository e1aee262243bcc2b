import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { SerialPort } from 'serialport'
import { afterEach, expect, test } from 'vitest'
import { pause } from '../../base/deadline.ts'
import { createVirtualChip } from './chip.ts'
import type { Fault } from './faults.ts'
import { openChipOnPty, type PtyChip, type PtyEvent } from './pty-chip.ts'
import { decodeSlip, encodeSlip, slipStart } from './slip.ts'

// The native binding of serialport is the host; PTYs of other systems are not tested (recipes-desktop-serial.md §1).
const onLinux = process.platform === 'linux'
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function makeChip(faults: readonly Fault[] = []) {
  const events: PtyEvent[] = []
  const tell = (event: PtyEvent) => void events.push(event)
  const chip = createVirtualChip({ startIn: 'download', onEvent: tell, faults })
  const port: PtyChip = openChipOnPty(chip, tell)
  closers.push(() => port.close())
  return { chip, port, events }
}

async function openHost(path: string) {
  const port = new SerialPort({ path, baudRate: 115200, autoOpen: false, hupcl: false })
  let closed = false
  port.on('error', () => undefined)
  port.on('close', () => (closed = true))
  await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())))
  closers.push(async () => {
    if (port.isOpen) await new Promise<void>((resolve) => port.close(() => resolve()))
  })
  let slip = slipStart
  let text = ''
  const frames: Uint8Array[] = []
  port.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    const result = decodeSlip(slip, bytes)
    slip = result.state
    frames.push(...result.frames)
  })
  const send = (op: number, data: Buffer, checksum: number) => {
    const head = Buffer.from([0, op, data.length & 0xff, data.length >> 8, checksum, 0, 0, 0])
    port.write(encodeSlip(Buffer.concat([head, data])))
  }
  return {
    port,
    closed: () => closed,
    text: () => text,
    frames,
    send,
    async command(op: number, words: readonly number[] = [], payload?: Buffer) {
      const data = Buffer.alloc(words.length * 4)
      words.forEach((value, index) => data.writeUInt32LE(value >>> 0, index * 4))
      frames.length = 0
      send(
        op,
        payload ? Buffer.concat([data, payload]) : data,
        payload ? payload.reduce((sum, byte) => sum ^ byte, 0xef) : 0,
      )
      await expect.poll(() => frames.length).toBeGreaterThan(0)
      return Buffer.from(frames[0]!.subarray(8)).toString('hex')
    },
    setBaud: (baudRate: number) =>
      new Promise<void>((resolve, reject) => port.update({ baudRate }, (error) => (error ? reject(error) : resolve()))),
    close: () => new Promise<void>((resolve) => port.close(() => resolve())),
  }
}
type Host = Awaited<ReturnType<typeof openHost>>

async function writeImage(host: Host, image: Buffer) {
  const packed = deflateSync(image)
  const blocks = Math.ceil(packed.length / 0x4000)
  expect(await host.command(0x10, [image.length, blocks, 0x4000, 0x10000])).toBe('0000')
  for (let block = 0; block < blocks; block++) {
    const part = packed.subarray(block * 0x4000, (block + 1) * 0x4000)
    expect(await host.command(0x11, [part.length, block, 0, 0], part)).toBe('0000')
  }
  expect(await host.command(0x12, [1])).toBe('0000')
  const md5 = createHash('md5').update(image).digest('hex')
  expect(await host.command(0x13, [0x10000, image.length, 0, 0])).toBe(`${md5}0000`)
}

test.runIf(onLinux)(
  'a host writes and verifies at another speed, closes, and a second one finds the stub',
  async () => {
    const { port, events } = makeChip()
    const host = await openHost(port.port)
    await host.command(0x06, [0, 0x40378000])
    await expect.poll(() => host.frames.length).toBe(2)
    expect(await host.command(0x0f, [921600, 115200])).toBe('0000')
    await host.setBaud(921600)
    await writeImage(host, randomBytes(0x10000))
    await host.close()
    await expect.poll(() => events.at(-1)).toEqual({ event: 'closed' })
    const second = await openHost(port.port)
    await writeImage(second, Buffer.alloc(0x8000, 0x77))
    expect(events).toContainEqual({ event: 'baud', baud: 921600 })
  },
)

test.runIf(onLinux)(
  'a stock host whose block does not fit into the terminal gets it through all the same',
  async () => {
    const { port } = makeChip()
    const host = await openHost(port.port)
    await host.command(0x06, [0, 0x40378000])
    await expect.poll(() => host.frames.length).toBe(2)
    await writeImage(host, randomBytes(0x100000))
  },
)

test.runIf(onLinux)('a speed that the board did not follow makes it deaf', async () => {
  const { port } = makeChip([{ kind: 'baud-refusal' }])
  const host = await openHost(port.port)
  await host.command(0x0f, [1_234_567, 0])
  await host.setBaud(1_234_567)
  host.frames.length = 0
  host.send(0x14, Buffer.alloc(0), 0)
  // That nothing comes is all there is to see.
  await pause(150)
  expect(host.frames).toEqual([])
  await host.setBaud(115200)
  expect(await host.command(0x14)).toHaveLength(48)
})

test.runIf(onLinux)('run user code boots the flash with its text on the same port', async () => {
  const { port } = makeChip()
  const host = await openHost(port.port)
  await host.command(0x06, [0, 0x40378000])
  host.send(0xd3, Buffer.alloc(0), 0)
  await expect.poll(host.text).toMatch(/rst:0x3 \(RTC_SW_SYS_RST\),boot:0x8 [^]*invalid header: 0xffffffff\r\n/)
})

test.runIf(onLinux)('a pulled cable closes the host port, and the chip comes back when it is plugged in', async () => {
  const { port, events } = makeChip()
  const host = await openHost(port.port)
  await host.command(0x14)
  port.unplug()
  await expect.poll(host.closed).toBe(true)
  port.plug()
  expect(events).toContainEqual({ event: 'plugged', port: port.port })
  const again = await openHost(port.port)
  await expect.poll(again.text, { timeout: 3000 }).toContain('boot:0x8')
})

test.runIf(onLinux)('bytes for nobody are dropped, and a reader that never set a speed can read', async () => {
  const { chip, port, events } = makeChip()
  chip.pressReset(true)
  const fd = openSync(port.port, 'r+')
  await expect.poll(() => events.at(-1)).toEqual({ event: 'opened' })
  chip.pressReset(true)
  const buffer = Buffer.alloc(4096)
  const text = buffer.subarray(0, readSync(fd, buffer)).toString()
  closeSync(fd)
  expect(text.startsWith('ESP-ROM:esp32s3-20210327\r\n')).toBe(true)
  expect(text.match(/ESP-ROM/g)).toHaveLength(1)
})

test.runIf(onLinux)('chips that come and go leave no descriptors behind', async () => {
  const descriptors = () => readdirSync('/proc/self/fd').length
  const cycle = async () => {
    const chip = createVirtualChip({ flashBytes: 0x100000, startIn: 'download' })
    const port = openChipOnPty(chip, () => undefined)
    const host = await openHost(port.port)
    await host.command(0x14)
    await port.close()
    await expect.poll(host.closed).toBe(true)
  }
  await cycle()
  const before = descriptors()
  for (let i = 0; i < 10; i++) await cycle()
  await expect.poll(descriptors).toBeLessThanOrEqual(before)
})
