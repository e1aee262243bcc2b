import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { Alarm } from '../../electron/contract/helper-tools.ts'
import { api, subscribe } from '../client/client.ts'

export type AlarmOrder = Pick<Alarm, 'kind' | 'deviceId' | 'label' | 'dueAt' | 'wall' | 'action' | 'language'>

/** Alarms, timers and reminders of all boards, as the server counts them. */
export const useAlarmsStore = defineStore('alarms', () => {
  const alarms = shallowRef<readonly Alarm[] | null>(null)
  const follow = () =>
    subscribe(
      (signal) => api.alarms.watch(undefined, { signal }),
      (next) => (alarms.value = next),
    )
  return {
    alarms,
    follow,
    add: (order: AlarmOrder) => api.alarms.add(order),
    cancel: (id: string) => api.alarms.cancel({ id }),
    snooze: (id: string, minutes: number) => api.alarms.snooze({ id, minutes }),
    dismiss: (id: string) => api.alarms.dismiss({ id }),
  }
})
