import { useIntervalFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { ServerOverview } from '../../electron/contract/server-info.ts'
import { api, connection, subscribe } from '../client/client.ts'
import type { Link } from '../client/connection.ts'

const PING_MS = 10_000

/** The server as seen from here: the link, its delay, the last overview, and the server's own clock. */
export const useServerStore = defineStore('server', () => {
  const link = ref<Link>(connection.link())
  const overview = shallowRef<ServerOverview | null>(null)
  const latencyMs = ref<number | null>(null)
  /** performance.now() of the last thing heard. */
  const heardAt = ref<number | null>(null)
  const lostAt = ref<number | null>(null)
  const tick = ref(performance.now())
  // Ages are the server's: a page whose clock is off by nine hours shows the same ages (ux.md G16).
  const clockOffset = ref(Date.now() - performance.now())

  const online = computed(() => link.value === 'open')
  /** Ms since epoch on the server's clock, once a second. */
  const now = computed(() => tick.value + clockOffset.value)

  function take(next: ServerOverview) {
    overview.value = next
    heardAt.value = performance.now()
    clockOffset.value = next.startedAt + next.uptimeMs - performance.now()
  }

  async function ping() {
    if (!online.value || document.hidden) return
    const before = performance.now()
    try {
      take(await api.server.overview())
      latencyMs.value = Math.round(performance.now() - before)
    } catch {
      latencyMs.value = null
    }
  }

  function start() {
    const off = connection.onChange((next) => {
      link.value = next
      if (next === 'open') {
        lostAt.value = null
        heardAt.value = performance.now()
        void ping()
      } else if (next === 'lost') lostAt.value ??= performance.now()
    })
    const stop = subscribe((signal) => api.server.watch(undefined, { signal }), take)
    connection.open()
    return () => {
      off()
      stop()
    }
  }

  useIntervalFn(() => (tick.value = performance.now()), 1_000)
  useIntervalFn(() => void ping(), PING_MS)

  /** Seconds until the next try; null while connected. */
  const retryIn = computed(() => {
    const at = connection.nextTryAt()
    return link.value !== 'lost' || at === null ? null : Math.max(0, Math.ceil((at - tick.value) / 1_000))
  })
  const retry = () => connection.retryNow()
  const preciseNow = () => performance.now() + clockOffset.value

  return { link, online, overview, latencyMs, heardAt, lostAt, now, tick, retryIn, preciseNow, start, retry }
})
