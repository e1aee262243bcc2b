interface TelemetryOptions {
  readonly random: () => number
}

/** Figures as a board of this kind reports them (iotta-protocol §5): a radio that wanders, a heap that breathes. */
export function createTelemetry({ random }: TelemetryOptions) {
  const started = performance.now()
  let rssi = -48 - Math.round(random() * 12)
  let lowestHeap = Number.POSITIVE_INFINITY
  return {
    report() {
      rssi = Math.max(-82, Math.min(-38, rssi + Math.round((random() - 0.5) * 4)))
      const heap = Math.round(112_000 + random() * 18_000)
      lowestHeap = Math.min(lowestHeap, heap)
      return {
        ts: Date.now(),
        metrics: {
          rssi_dbm: rssi,
          heap_free_bytes: heap,
          heap_min_free_bytes: lowestHeap,
          psram_free_bytes: Math.round(5_900_000 + random() * 200_000),
          uptime_s: Math.round((performance.now() - started) / 1000),
          temperature_c: Math.round((41 + random() * 3) * 10) / 10,
        },
      }
    },
  }
}
