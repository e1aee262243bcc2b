import { createLiveFeed, type LiveItems } from '../base/live-feed.ts'
import type { TelemetryTail } from '../contract/telemetry.ts'
import type { Recorder } from './telemetry/recorder.ts'

/** Live values of one board or of all; the newest report of a board replaces one that still waits. */
export function watchTails(
  recorder: Recorder,
  deviceId: string | undefined,
  signal: AbortSignal,
): LiveItems<TelemetryTail> {
  const feed = createLiveFeed<TelemetryTail>()
  const stop = recorder.onTail((tail) => {
    if (deviceId === undefined || tail.deviceId === deviceId) feed.publish(tail)
  })
  signal.addEventListener('abort', stop, { once: true })
  return feed.subscribe(signal, { key: (tail) => `${tail.deviceId} ${Object.keys(tail.metrics).join()}` })
}
