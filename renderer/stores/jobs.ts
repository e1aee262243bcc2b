import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { Job, JobEvent } from '../../electron/contract/job.ts'
import { api, subscribe } from '../client/client.ts'

/** Jobs live on the server: a reload shows the same percent (ux.md B1). */
export const useJobsStore = defineStore('jobs', () => {
  const byId = shallowRef<ReadonlyMap<string, Job>>(new Map())
  const loaded = ref(false)
  const jobs = computed(() => [...byId.value.values()].sort((left, right) => right.startedAt - left.startedAt))
  const running = computed(() => jobs.value.filter((job) => job.state === 'running'))
  const endings = new Set<(job: Job) => void>()

  function take(event: JobEvent) {
    if (event.type === 'snapshot') {
      byId.value = new Map(event.jobs.map((job) => [job.id, job]))
      loaded.value = true
      return
    }
    const before = byId.value.get(event.job.id)
    byId.value = new Map(byId.value).set(event.job.id, event.job)
    if (before?.state === 'running' && event.job.state !== 'running') for (const ended of endings) ended(event.job)
  }

  function onEnd(listener: (job: Job) => void) {
    endings.add(listener)
    return () => endings.delete(listener)
  }

  return {
    jobs,
    running,
    loaded,
    onEnd,
    job: (id: string) => byId.value.get(id) ?? null,
    start: () => subscribe((signal) => api.jobs.watch(undefined, { signal }), take),
    cancel: (id: string) => api.jobs.cancel({ id }),
    retry: (id: string) => api.jobs.retry({ id }),
    log: (id: string, after: number) => api.jobs.log({ id, after }),
  }
})
