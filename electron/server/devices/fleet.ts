import { type LiveItems, createLiveFeed } from '../../base/live-feed.ts'
import type { FleetEvent } from '../../contract/rpc.ts'
import type { Devices } from './devices.ts'
import type { Enrolment } from './enrolment.ts'

export interface Fleet {
  /** A snapshot, then patches at most four times a second (ux.md B8). */
  watch(signal?: AbortSignal): LiveItems<FleetEvent>
  close(): void
}

const everyMs = 250

/** Devices and waiting boards as one live view. */
export function createFleet({ devices, enrolment }: { devices: Devices; enrolment: Enrolment }): Fleet {
  const feed = createLiveFeed<FleetEvent>()
  const touched = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  function soon(): void {
    timer ??= setTimeout(publish, everyMs).unref()
  }

  function publish(): void {
    timer = undefined
    const ids = [...touched]
    touched.clear()
    const changed = ids.flatMap((id) => devices.get(id) ?? [])
    const removed = ids.filter((id) => !devices.row(id))
    feed.publish((revision) => ({ type: 'patch', revision, changed, removed, pending: enrolment.pending() }))
  }

  devices.onChange((id) => {
    touched.add(id)
    soon()
  })
  enrolment.onChange(soon)

  return {
    watch: (signal) =>
      feed.subscribe(signal, {
        snapshot: (revision) => ({
          type: 'snapshot',
          revision,
          devices: devices.list(),
          pending: enrolment.pending(),
        }),
      }),
    close() {
      clearTimeout(timer)
      feed.close()
    },
  }
}
