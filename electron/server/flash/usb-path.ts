import { readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface UsbInfo {
  readonly vendorId: string | null
  readonly productId: string | null
  readonly serialNumber: string | null
  readonly manufacturer: string | null
  /** Bus and hub ports, such as `1-2.3`: one socket keeps it whatever is plugged in. */
  readonly hubPath: string
}

const deepest = 12

/**
 * The USB device behind a tty of Linux, from sysfs alone (recipes-desktop-serial.md §7): walk up from the device link to
 * the folder that has `idVendor`. Null for ports that are not on USB and for names that do not exist.
 */
export function usbInfo(name: string, sysRoot = '/sys'): UsbInfo | null {
  let folder: string
  let root: string
  try {
    folder = realpathSync(join(sysRoot, 'class/tty', name, 'device'))
    root = realpathSync(sysRoot)
  } catch {
    // No such tty, or no sysfs: nothing is known of it.
    return null
  }
  for (let depth = 0; depth < deepest && folder.startsWith(root) && folder !== root; depth += 1) {
    const vendorId = attribute(folder, 'idVendor')
    if (vendorId !== null) {
      return {
        vendorId,
        productId: attribute(folder, 'idProduct'),
        serialNumber: attribute(folder, 'serial'),
        manufacturer: attribute(folder, 'manufacturer'),
        hubPath: basename(folder),
      }
    }
    folder = dirname(folder)
  }
  return null
}

/** False for the many ttyS of a kernel that no hardware stands behind (their type is 0, "unknown"). */
export function isRealTty(name: string, sysRoot = '/sys'): boolean {
  const type = attribute(join(sysRoot, 'class/tty', name), 'type')
  return !/^ttyS\d+$/.test(name) || (type !== null && type !== '0')
}

/** Whether a `device` link exists: pseudo-terminals and consoles have none. */
export function hasDevice(name: string, sysRoot = '/sys'): boolean {
  try {
    readlinkSync(join(sysRoot, 'class/tty', name, 'device'))
    return true
  } catch {
    return false
  }
}

function attribute(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8').trim().slice(0, 256)
  } catch {
    return null
  }
}
