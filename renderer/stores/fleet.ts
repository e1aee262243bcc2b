import { defineStore } from 'pinia'
import { computed, ref, shallowRef, triggerRef } from 'vue'
import type { Device, PendingBoard } from '../../electron/contract/device.ts'
import type { FleetEvent } from '../../electron/contract/rpc.ts'
import { api, subscribe } from '../client/client.ts'

const orders = {
  rename: (deviceId: string, name: string) => api.fleet.rename({ deviceId, name }),
  block: (deviceId: string, blocked: boolean) => api.fleet.block({ deviceId, blocked }),
  revoke: (deviceId: string) => api.fleet.revoke({ deviceId }),
  forget: (deviceId: string) => api.fleet.forget({ deviceId }),
  control: (deviceId: string, action: 'reboot' | 'identify') => api.fleet.control({ deviceId, action }),
  approve: (code: string) => api.enrolment.approve({ code }),
  reject: (code: string) => api.enrolment.reject({ code }),
  openWindow: (minutes: number) => api.enrolment.window({ minutes }),
}

/** Every board the server knows. One keyed map, one redraw per animation frame however many patches came (ux.md E3). */
export const useFleetStore = defineStore('fleet', () => {
  const byId = shallowRef(new Map<string, Device>())
  const pending = shallowRef<readonly PendingBoard[]>([])
  const loaded = ref(false)
  const revision = ref(0)
  /** performance.now() at which each board was last told about; ages in it grow from there. */
  const heardAt = new Map<string, number>()
  let drawing = false

  const devices = computed(() => [...byId.value.values()].sort(byName))
  const onlineCount = computed(() => devices.value.filter((device) => device.presence.online).length)

  function redraw() {
    if (drawing) return
    drawing = true
    requestAnimationFrame(() => {
      drawing = false
      triggerRef(byId)
    })
  }

  function put(device: Device) {
    byId.value.set(device.id, device)
    heardAt.set(device.id, performance.now())
  }

  function take(event: FleetEvent) {
    revision.value = event.revision
    pending.value = event.pending
    if (event.type === 'snapshot') {
      byId.value = new Map()
      event.devices.forEach(put)
      loaded.value = true
      triggerRef(byId)
      return
    }
    event.changed.forEach(put)
    event.removed.forEach((id) => byId.value.delete(id))
    redraw()
  }

  /** Every code is tried; throws the first refusal about a board that still asks. */
  async function rejectAll(codes: readonly string[]) {
    const refusals: unknown[] = []
    for (const code of codes) {
      await orders.reject(code).catch((error: unknown) => {
        // One that expired meanwhile is what was wanted.
        if (pending.value.some((board) => board.code === code)) refusals.push(error)
      })
    }
    if (refusals.length > 0) throw refusals[0]
  }

  const start = () => subscribe((signal) => api.fleet.watch(undefined, { signal }), take)
  const device = (id: string) => byId.value.get(id) ?? null
  const heard = (id: string) => heardAt.get(id) ?? performance.now()

  return {
    devices,
    pending,
    loaded,
    revision,
    onlineCount,
    device,
    heard,
    start,
    rejectAll,
    ...orders,
  }
})

// Natural order: "Board 2" before "Board 10", and Chinese names by the reader's own order.
const collator = new Intl.Collator(undefined, { numeric: true })
const byName = (left: Device, right: Device) => collator.compare(left.name, right.name) || (left.id < right.id ? -1 : 1)
