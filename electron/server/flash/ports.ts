import { constants } from 'node:fs'
import { access, readdir, readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ErrorCode } from '../../contract/errors.ts'
import type { PortInfo } from '../../contract/flash.ts'
import { listSystemPorts } from './serial-link.ts'
import { hasDevice, isRealTty, usbInfo } from './usb-path.ts'

export interface PortSources {
  /** For tests: another tree than `/sys`, `/dev`, `/proc`. */
  readonly sysRoot?: string
  readonly devRoot?: string
  readonly procRoot?: string
  /** What the serial library lists; without udevadm it throws, and sysfs is enough. */
  readonly list?: () => Promise<readonly ListedPort[]>
}

interface ListedPort {
  readonly path: string
  readonly vendorId?: string | undefined
  readonly productId?: string | undefined
  readonly serialNumber?: string | undefined
  readonly manufacturer?: string | undefined
  readonly locationId?: string | undefined
}

const deviceName = /^tty(S|WCH|ACM|USB|AMA|MFD|O|XRUSB)\d+$|^rfcomm\d+$/

/** Serial ports of this machine with what is known of them; never throws. Opens none: that would reset boards. */
export async function listPorts(sources: PortSources = {}): Promise<PortInfo[]> {
  const { sysRoot = '/sys', devRoot = '/dev', procRoot = '/proc' } = sources
  const listed = await (sources.list ?? listSystemPorts)().catch(() => [])
  const known = new Map<string, ListedPort>()
  for (const port of listed) known.set(port.path, port)
  for (const name of await namesIn(join(sysRoot, 'class/tty'))) {
    const path = join(devRoot, name)
    if (deviceName.test(name) && hasDevice(name, sysRoot) && !known.has(path)) known.set(path, { path })
  }
  const real = [...known.values()].filter(
    ({ path }) => isRealTty(basename(path), sysRoot) || usbOf(path, sysRoot) !== null,
  )
  const holders = await heldPaths(procRoot)
  const ports = await Promise.all(real.map((port) => describePort(port, { sysRoot, holders })))
  return ports.sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }))
}

async function describePort(
  port: ListedPort,
  facts: { sysRoot: string; holders: ReadonlySet<string> },
): Promise<PortInfo> {
  const usb = usbOf(port.path, facts.sysRoot)
  const reason = await unusable(port.path, facts.holders)
  return {
    path: port.path,
    vendorId: usb?.vendorId ?? port.vendorId ?? null,
    productId: usb?.productId ?? port.productId ?? null,
    serialNumber: usb?.serialNumber ?? port.serialNumber ?? null,
    manufacturer: usb?.manufacturer ?? port.manufacturer ?? null,
    hubPath: usb?.hubPath ?? port.locationId ?? null,
    virtual: false,
    usable: reason === null,
    reason,
  }
}

function usbOf(path: string, sysRoot: string) {
  return usbInfo(basename(path), sysRoot)
}

async function unusable(path: string, holders: ReadonlySet<string>): Promise<ErrorCode | null> {
  // Names of Windows ports are no files.
  if (!path.startsWith('/')) return null
  try {
    await access(path, constants.R_OK | constants.W_OK)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'flash-port-not-found' : 'flash-no-permission'
  }
  return holders.has(path) ? 'flash-port-busy' : null
}

/** Devices that some process has open, as far as this user may look. Empty where there is no /proc. */
async function heldPaths(procRoot: string): Promise<Set<string>> {
  const held = new Set<string>()
  const processes = (await namesIn(procRoot)).filter((name) => /^\d+$/.test(name))
  for (const process of processes) {
    const folder = join(procRoot, process, 'fd')
    const targets = await Promise.all(
      (await namesIn(folder)).map((name) => readlink(join(folder, name)).catch(() => '')),
    )
    for (const target of targets) if (/\/(tty|rfcomm)[^/]+$/.test(target)) held.add(target)
  }
  return held
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => [])
}
