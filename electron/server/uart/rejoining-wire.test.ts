import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { AppError } from '../../base/app-error.ts'
import type { ByteWire } from '../../base/byte-wire.ts'
import { silentLog } from '../../base/log.ts'
import { createUsbPlugs } from '../uart-plugs.ts'
import { openRejoiningWire, type PlugBook } from './rejoining-wire.ts'

/** A socket that devices are plugged into; each opening is noted as `path@speed`. */
function usbSocket(identity: string | null = 'one') {
  const opened: string[] = []
  const written: string[] = []
  const plugged = new Map([['/dev/a', identity]])
  let pull: (unplugged: boolean) => void = () => undefined
  let say: (bytes: Uint8Array) => void = () => undefined
  const plugs: PlugBook = {
    identify: async (path) => plugged.get(path) ?? null,
    find: async (wanted) => [...plugged].find(([, there]) => there === wanted)?.[0] ?? null,
  }
  async function open(path: string, baud: number): Promise<ByteWire> {
    if (!plugged.has(path)) throw new AppError('flash-port-not-found', path)
    opened.push(`${path}@${baud}`)
    return {
      path,
      write: async (bytes) => void written.push(Buffer.from(bytes).toString()),
      onData: (listener) => ((say = listener), () => undefined),
      setBaud: async () => undefined,
      drain: async () => undefined,
      close: async () => pull(false),
      onClosed: (listener) => void (pull = listener),
    }
  }
  return {
    opened,
    written,
    plugged,
    plugs,
    open,
    unplug() {
      plugged.clear()
      pull(true)
    },
    say: (text: string) => say(Buffer.from(text)),
  }
}

async function openedWire(identity: string | null = 'one') {
  const socket = usbSocket(identity)
  const clock = createManualClock()
  const wire = await openRejoiningWire('/dev/a', 115_200, { ...socket, clock, log: silentLog })
  const seen: string[] = []
  wire.onPlug?.((there) => seen.push(there ? 'back' : 'away'))
  wire.onClosed((unplugged) => seen.push(unplugged ? 'lost' : 'closed'))
  wire.onData((bytes) => seen.push(Buffer.from(bytes).toString()))
  return { socket, clock, wire, seen }
}

test('the same device is opened again where it is now, at the speed of last', async () => {
  const { socket, clock, wire, seen } = await openedWire()
  await wire.setBaud(9_600)
  socket.unplug()
  await expect(wire.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'uart-unplugged' })
  socket.plugged.set('/dev/b', 'one')
  await clock.advance(1_000)
  socket.say('hello')
  await wire.write(Buffer.from('y'))
  expect(socket.opened).toEqual(['/dev/a@115200', '/dev/b@9600'])
  expect([seen, socket.written]).toEqual([['away', 'back', 'hello'], ['y']])
})

test('another device in the same socket is left alone', async () => {
  const { socket, clock, seen } = await openedWire()
  socket.unplug()
  socket.plugged.set('/dev/a', 'two')
  await clock.advance(60_000)
  expect([socket.opened, seen]).toEqual([['/dev/a@115200'], ['away']])
})

test('without a serial number an unplugged port is lost', async () => {
  const { socket, clock, seen } = await openedWire(null)
  socket.unplug()
  socket.plugged.set('/dev/a', null)
  await clock.advance(60_000)
  expect([socket.opened, seen]).toEqual([['/dev/a@115200'], ['lost']])
})

test('a wire that was closed while away is not opened again', async () => {
  const { socket, clock, wire, seen } = await openedWire()
  socket.unplug()
  await wire.close()
  socket.plugged.set('/dev/a', 'one')
  await clock.advance(60_000)
  expect([socket.opened, seen]).toEqual([['/dev/a@115200'], ['away', 'closed']])
})

test('two adapters with the same number are nobody', async () => {
  const port = { path: '/dev/a', vendorId: '1a86', productId: '7523', serialNumber: '0001' as string | null }
  const more = { manufacturer: null, hubPath: null, virtual: false, usable: true, reason: null }
  const listed = [{ ...port, ...more }]
  const plugs = createUsbPlugs(async () => listed)
  const identity = await plugs.identify('/dev/a')
  expect(identity).toBe('1a86:7523:0001')
  expect(await plugs.find(String(identity))).toBe('/dev/a')
  listed.push({ ...port, ...more, path: '/dev/b' })
  expect(await plugs.find(String(identity))).toBeNull()
  listed.push({ ...port, ...more, path: '/dev/c', serialNumber: null })
  expect(await plugs.identify('/dev/c')).toBeNull()
})
