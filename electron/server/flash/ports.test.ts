import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listPorts } from './ports.ts'
import { usbInfo } from './usb-path.ts'

let root: string
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'ports-'))))
afterEach(() => rmSync(root, { recursive: true }))

function file(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  symlinkSync(relative(dirname(join(root, path)), join(root, target)), join(root, path))
}

/** A ttyACM hangs on its interface, a ttyUSB one level deeper. */
function plug(): void {
  const usb = 'sys/devices/pci0/usb1/1-2'
  file(`${usb}/1-2.3/idVendor`, '303a\n')
  file(`${usb}/1-2.3/idProduct`, '1001\n')
  file(`${usb}/1-2.3/serial`, '7C:DF:A1\n')
  file(`${usb}/1-2.3/1-2.3:1.0/bInterfaceNumber`, '00\n')
  file(`${usb}/1-2.4/idVendor`, '1a86\n')
  file(`${usb}/1-2.4/idProduct`, '55d3\n')
  file(`${usb}/1-2.4/1-2.4:1.0/ttyUSB0/port_number`, '0\n')
  file('sys/devices/platform/serial8250/x', '')
  link('sys/class/tty/ttyACM0/device', `${usb}/1-2.3/1-2.3:1.0`)
  link('sys/class/tty/ttyUSB0/device', `${usb}/1-2.4/1-2.4:1.0/ttyUSB0`)
  link('sys/class/tty/ttyS0/device', 'sys/devices/platform/serial8250')
  link('sys/class/tty/ttyS1/device', 'sys/devices/platform/serial8250')
  file('sys/class/tty/ttyS0/type', '4\n')
  file('sys/class/tty/ttyS1/type', '0\n')
  for (const name of ['ttyACM0', 'ttyUSB0', 'ttyS0', 'ttyS1']) file(`dev/${name}`)
  link('proc/42/fd/3', 'dev/ttyUSB0')
}

test('a USB port is found by its socket, in both shapes of sysfs', () => {
  plug()
  const sys = join(root, 'sys')
  expect(usbInfo('ttyACM0', sys)).toMatchObject({ hubPath: '1-2.3', vendorId: '303a', serialNumber: '7C:DF:A1' })
  expect(usbInfo('ttyUSB0', sys)).toMatchObject({ hubPath: '1-2.4', productId: '55d3', serialNumber: null })
  expect([usbInfo('ttyS0', sys), usbInfo('pts0', sys)]).toEqual([null, null])
})

test('without udevadm the ports come from sysfs, and a held one is busy', async () => {
  plug()
  rmSync(join(root, 'proc/42/fd/3'))
  symlinkSync(join(root, 'dev/ttyUSB0'), join(root, 'proc/42/fd/3'))
  const ports = await listPorts({
    sysRoot: join(root, 'sys'),
    devRoot: join(root, 'dev'),
    procRoot: join(root, 'proc'),
    list: () => Promise.reject(new Error('spawn udevadm ENOENT')),
  })
  expect(ports.map(({ path, hubPath, usable, reason }) => [path.slice(root.length), hubPath, usable, reason])).toEqual([
    ['/dev/ttyACM0', '1-2.3', true, null],
    ['/dev/ttyS0', null, true, null],
    ['/dev/ttyUSB0', '1-2.4', false, 'flash-port-busy'],
  ])
})
