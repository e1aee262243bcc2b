import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { ConsentRequest } from '../../electron/contract/tool-registry.ts'
import { api, subscribe } from '../client/client.ts'

/** Destructive calls that wait for a person, from any page of the console. */
export const useConsentsStore = defineStore('consents', () => {
  const requests = shallowRef<readonly ConsentRequest[]>([])
  const waiting = computed(() => requests.value.filter((one) => one.state === 'waiting'))

  const start = () =>
    subscribe(
      (signal) => api.consents.watch(undefined, { signal }),
      (next) => (requests.value = next),
    )
  const answer = (id: string, yes: boolean) => api.consents.answer({ id, yes })

  return { requests, waiting, start, answer }
})
