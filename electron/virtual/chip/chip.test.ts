import { afterEach, expect, test } from 'vitest'
import { makeVirtualImage } from '../../../firmware/virtual/make-image.ts'
import type { BoardContext } from './board-program.ts'
import type { ChipEvent } from './chip-events.ts'
import { type ChipOptions, createVirtualChip, type VirtualChip } from './chip.ts'
import { saveNvsString } from './nvs-editor.ts'
import { nvsString, readNvs } from './nvs-reader.ts'
import { encodeSlip } from './slip.ts'

const chips: VirtualChip[] = []
afterEach(async () => {
  for (const chip of chips.splice(0)) await chip.close()
})

function makeChip(options: ChipOptions = {}) {
  const events: ChipEvent[] = []
  const chip = createVirtualChip({ onEvent: (event) => void events.push(event), ...options })
  chips.push(chip)
  let text = ''
  let baud: number | undefined
  const side = chip.attach({
    send: (bytes) => (text += Buffer.from(bytes).toString('latin1')),
    baud: () => baud,
    unplugged: () => undefined,
  })
  const command = (op: number, ...values: number[]) => {
    const frame = Buffer.alloc(8 + values.length * 4)
    frame[1] = op
    frame.writeUInt16LE(values.length * 4, 2)
    values.forEach((value, index) => frame.writeUInt32LE(value >>> 0, 8 + index * 4))
    return side.receive(encodeSlip(frame))
  }
  return {
    chip,
    side,
    events,
    command,
    text: () => text,
    forget: () => (text = ''),
    setBaud: (next: number) => (baud = next),
    lines: (dtr: boolean, rts: boolean) => side.setLines({ dtr, rts }),
  }
}

const range = { offset: 0x9000, size: 0x4000 }

test('the classic sequence leads into download mode, the hard reset out of it', async () => {
  const { lines, text, forget } = makeChip()
  lines(false, true)
  forget()
  lines(true, false)
  await expect.poll(text).toContain('boot:0x0 (DOWNLOAD(USB/UART0))\r\nwaiting for download')
  lines(false, false)
  lines(false, true)
  lines(false, false)
  await expect.poll(text).toContain('rst:0x1 (POWERON),boot:0x8 (SPI_FAST_FLASH_BOOT)')
})

test('straps are sampled after the delay of EN, so lines that move one after another can still do it', async () => {
  const { lines, text } = makeChip({ enDelayMs: 60 })
  lines(false, true)
  lines(true, true)
  lines(true, false)
  await expect.poll(text).toContain('waiting for download')
})

test('a held EN line keeps the chip silent', async () => {
  const { lines, command, text, forget } = makeChip({ startIn: 'download' })
  await command(0x14)
  await expect.poll(text).not.toBe('')
  lines(false, true)
  forget()
  await command(0x14)
  expect(text()).toBe('')
})

test('the force-download bit keeps the chip in download mode over a hard reset', async () => {
  const { lines, command, text, forget } = makeChip({ startIn: 'download' })
  await command(0x09, 0x6000812c, 1, 1, 0)
  lines(false, true)
  forget()
  lines(false, false)
  await expect.poll(text).toContain('waiting for download')
})

test('the RTC watchdog resets the chip, which then boots its flash', async () => {
  const { command, text } = makeChip({ startIn: 'download' })
  await command(0x09, 0x600080b0, 0x50d83aa1, 0xffffffff, 0)
  await command(0x09, 0x6000809c, 2000, 0xffffffff, 0)
  await command(0x09, 0x60008098, 0x80000000 | (5 << 28) | 0x100 | 2, 0xffffffff, 0)
  await expect.poll(text).toContain('rst:0x10 (RTCWDT_RTC_RST),boot:0x8')
})

test('with another speed than the board nothing gets through, either way', async () => {
  const { command, text, forget, setBaud, events } = makeChip({ startIn: 'download' })
  setBaud(115200)
  await command(0x0f, 921600, 0)
  await expect.poll(() => events.at(-1)).toEqual({ event: 'baud', baud: 921600 })
  forget()
  await command(0x14)
  expect(text()).toBe('')
  setBaud(921600)
  await command(0x14)
  await expect.poll(text).not.toBe('')
})

test('a paced wire takes the time of its bytes, at the speed that it has', async () => {
  const { side } = makeChip({ startIn: 'download', faults: [{ kind: 'pace', baud: 921600 }] })
  const start = performance.now()
  await side.receive(new Uint8Array(576))
  await side.receive(new Uint8Array(576))
  // 1152 bytes of ten bits at 115200, which the board still has: 100 ms, of which each wait may fall short by 1 ms.
  expect(performance.now() - start).toBeGreaterThanOrEqual(98)
})

test('a flashed firmware with settings becomes a board that can save its token; a reset stops it first', async () => {
  const started: BoardContext[] = []
  const stopped: string[] = []
  const boardProgram = {
    start(context: BoardContext) {
      started.push(context)
      context.print('I (500) board: hello')
      context.saveNvs('iotta', 'token', `token ${started.length}`)
      return { stop: async () => void stopped.push(context.settings.server) }
    },
  }
  const { chip, text, events, command } = makeChip({ startIn: 'download', boardProgram })
  chip.flash.write(0, makeVirtualImage({ version: '9.9.9' }))
  saveNvsString(chip.flash, range, { namespace: 'iotta', key: 'server', value: 'https://a.example' })
  await command(0x04, 0)
  await expect.poll(() => started).toHaveLength(1)
  expect(started[0]).toMatchObject({ mac: '7c:df:a1:e0:12:34', settings: { server: 'https://a.example', wifi: [] } })
  expect(text()).toContain('I (500) board: hello\r\n')
  expect(events).toContainEqual({ event: 'boot', mode: 'app', project: 'roost-virtual', version: '9.9.9' })
  const stored = () => nvsString(readNvs(chip.flash.read(range.offset, range.size)), 'iotta', 'token')
  expect(stored()).toBe('token 1')
  chip.pressReset()
  await expect.poll(() => started).toHaveLength(2)
  expect(started[1]?.settings.token).toBe('token 1')
  expect(stopped).toHaveLength(1)
  chip.unplug()
  await chip.close()
  expect(stopped).toHaveLength(2)
})

test('a board program that cannot start leaves the chip running, and says why', async () => {
  const boardProgram = {
    start(): never {
      throw new Error('no such server')
    },
  }
  const { chip, text, events } = makeChip({ startIn: 'download', boardProgram })
  chip.flash.write(0, makeVirtualImage())
  saveNvsString(chip.flash, range, { namespace: 'iotta', key: 'server', value: 'https://a.example' })
  chip.pressReset()
  await expect.poll(text).toContain('staying offline: no such server')
  expect(events.at(-1)).toEqual({ event: 'board', state: 'offline', reason: 'no such server' })
})

test('firmware without settings says why it stays offline; a foreign one only prints its boot text', async () => {
  const mine = makeChip({ startIn: 'download' })
  mine.chip.flash.write(0, makeVirtualImage())
  mine.chip.pressReset()
  await expect.poll(mine.text).toContain('staying offline: the NVS partition holds no settings')
  const foreign = makeChip({ startIn: 'download' })
  const image = makeVirtualImage()
  // Another name, and a digest that is not asked for; two equal changes keep the XOR checksum.
  const app = image.subarray(0x20000)
  app[32 + 48] = 'R'.charCodeAt(0)
  app[32 + 4] = 'R'.charCodeAt(0) ^ 'r'.charCodeAt(0)
  app[23] = 0
  foreign.chip.flash.write(0, image)
  foreign.chip.pressReset()
  await expect.poll(foreign.text).toContain('Project name:     Roost-virtual')
  expect(foreign.text()).not.toContain('offline')
})

test('a chip that cannot boot says so again and again, not more than once a second', async () => {
  const { text } = makeChip()
  const start = performance.now()
  await expect.poll(text, { timeout: 5000 }).toContain('rst:0x7 (TG0WDT_SYS_RST)')
  expect(performance.now() - start).toBeGreaterThan(900)
})

test('an unplugged chip is silent until it is plugged in, and keeps its flash', async () => {
  const { chip, text, forget } = makeChip({ startIn: 'download' })
  chip.flash.write(0x1000, new Uint8Array([7]))
  chip.unplug()
  forget()
  chip.pressReset(true)
  expect(text()).toBe('')
  chip.plug()
  await expect.poll(text).toContain('boot:0x8')
  expect(chip.flash.read(0x1000, 1)[0]).toBe(7)
})
