import { defineStore } from 'pinia'
import type { TelemetryTail } from '../../electron/contract/telemetry.ts'
import { api, subscribe } from '../client/client.ts'

export interface SeriesQuery {
  readonly deviceIds: string[]
  readonly metric: string
  readonly from: number
  readonly to: number
  readonly columns: number
}

/** Series are cut to columns by the server; the page never holds raw history. */
export const useTelemetryStore = defineStore('telemetry', () => ({
  series: (query: SeriesQuery) => api.telemetry.series(query),
  metrics: (deviceId?: string) => api.telemetry.metrics(deviceId === undefined ? {} : { deviceId }),
  events: (deviceId: string, limit: number) => api.telemetry.events({ deviceId, limit }),
  follow: (deviceId: string, take: (tail: TelemetryTail) => void) =>
    subscribe((signal) => api.telemetry.watch({ deviceId }, { signal }), take),
}))
