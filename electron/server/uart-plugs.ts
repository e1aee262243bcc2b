import type { PortInfo } from '../contract/flash.ts'
import type { PlugBook } from './uart/rejoining-wire.ts'

/** Devices by vendor, product and serial number of USB. Those without a serial number are never known again. */
export function createUsbPlugs(list: () => Promise<readonly PortInfo[]>): PlugBook {
  return {
    async identify(path) {
      const port = (await list()).find((one) => one.path === path)
      return port ? identityOf(port) : null
    },
    async find(identity) {
      const same = (await list()).filter((one) => identityOf(one) === identity)
      // Cheap adapters are all number 0001: better none than the wrong one.
      return same.length === 1 ? (same[0]?.path ?? null) : null
    },
  }
}

function identityOf({ vendorId, productId, serialNumber }: PortInfo): string | null {
  return serialNumber ? `${vendorId}:${productId}:${serialNumber}` : null
}
