import type { BoardSettings } from './board-program.ts'
import { type NvsEntry, nvsBlob, nvsString } from './nvs-reader.ts'

/** What the firmware `roost-virtual` becomes with the settings in its NVS (iotta-protocol.md §2.1). */
export type BoardRole =
  { readonly kind: 'iotta'; readonly settings: BoardSettings } | { readonly kind: 'offline'; readonly reason: string }

export const virtualProject = 'roost-virtual'

export function boardRole(entries: readonly NvsEntry[], mac: string): BoardRole {
  const own = (key: string) => nvsString(entries, 'iotta', key)
  const server = own('server')
  if (server === undefined) return { kind: 'offline', reason: offlineReason(entries) }
  const [claim, name, token] = [own('claim'), own('name'), own('token')]
  const ca = nvsBlob(entries, 'iotta', 'ca')
  return {
    kind: 'iotta',
    settings: {
      server,
      ...(claim === undefined ? {} : { claim }),
      ...(ca === undefined ? {} : { ca }),
      ...(name === undefined ? {} : { name }),
      ...(token === undefined ? {} : { token }),
      deviceId: own('device_id') ?? mac,
      wifi: wifiNetworks(entries),
    },
  }
}

function offlineReason(entries: readonly NvsEntry[]): string {
  if (entries.length === 0) return 'the NVS partition holds no settings'
  if (nvsString(entries, 'wifi', 'ota_url') !== undefined) {
    return 'NVS has wifi.ota_url (stock firmware), but no iotta.server'
  }
  return 'NVS has no iotta.server'
}

/** ssid, ssid1, ssid2 … until one is missing, with their passwords. */
function wifiNetworks(entries: readonly NvsEntry[]): BoardSettings['wifi'] {
  const networks: { ssid: string; password?: string }[] = []
  for (let i = 0; i < 10; i++) {
    const suffix = i === 0 ? '' : String(i)
    const ssid = nvsString(entries, 'wifi', `ssid${suffix}`)
    if (ssid === undefined) break
    const password = nvsString(entries, 'wifi', `password${suffix}`)
    networks.push(password === undefined ? { ssid } : { ssid, password })
  }
  return networks
}
