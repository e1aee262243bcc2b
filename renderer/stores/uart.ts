import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type {
  UartEvent,
  UartFaultPlan,
  UartLine,
  UartRole,
  UartSession,
  UartStep,
} from '../../electron/contract/uart.ts'
import { api, subscribe } from '../client/client.ts'

const orders = {
  open: (order: { port: string; baud: number; role: UartRole; deviceId?: string }) => api.uart.open(order),
  startVirtualMcu: (thing?: string) => api.uart.startVirtualMcu(thing === undefined ? {} : { thing }),
  close: (id: string) => api.uart.close({ id }),
  send: (id: string, text: string, end: boolean) => api.uart.send({ id, text, end }),
  callTool: (id: string, name: string, args: Record<string, unknown>) =>
    api.uart.callTool({ id, name, arguments: args }),
  setBaud: (id: string, baud: number) => api.uart.setBaud({ id, baud }),
  setFaults: (id: string, plan: UartFaultPlan) => api.uart.setFaults({ id, plan }),
  record: (id: string, on: boolean) => api.uart.record({ id, on }),
  recording: (id: string) => api.uart.recording({ id }),
  replay: (id: string, text: string) => api.uart.replay({ id, text }),
  runScript: (id: string, steps: UartStep[]) => api.uart.runScript({ id, steps }),
  ports: () => api.flash.ports(),
}

/** Lines kept on the page; older ones are asked for when somebody scrolls there. */
const KEPT = 20_000

/** Ports at work, and the lines of the one that is shown. */
export const useUartStore = defineStore('uart', () => {
  const sessions = shallowRef<readonly UartSession[] | null>(null)
  const lines = shallowRef<readonly UartLine[]>([])
  const shownId = ref<string | null>(null)
  const complete = ref(false)
  let asking = false

  function add(found: readonly UartLine[]) {
    const newest = lines.value.at(-1)?.seq ?? -Infinity
    const fresh = found.filter(({ seq }) => seq > newest)
    if (fresh.length > 0) lines.value = [...lines.value, ...fresh].slice(-KEPT)
  }
  function take(event: UartEvent) {
    if (event.type === 'sessions') sessions.value = event.sessions
    else if (event.id === shownId.value) add(event.lines)
  }

  /** Follows all sessions, and the lines of `id` when one is given; returns the stop function. */
  function follow(id: string | null) {
    if (shownId.value !== id) {
      shownId.value = id
      lines.value = []
      complete.value = false
    }
    return subscribe((signal) => api.uart.watch(id === null ? {} : { id }, { signal }), take)
  }

  async function older() {
    const [id, first] = [shownId.value, lines.value[0]]
    if (id === null || !first || asking || complete.value || lines.value.length >= KEPT) return
    asking = true
    try {
      const page = await api.uart.page({ id, before: first.seq, limit: 500 })
      if (shownId.value !== id) return
      complete.value = page.length === 0
      lines.value = [...page, ...lines.value]
    } finally {
      asking = false
    }
  }

  return { sessions, lines, complete, follow, older, ...orders }
})
