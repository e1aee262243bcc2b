import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { UartEvent, UartFaultPlan, UartRole, UartSession, UartStep } from '../../electron/contract/uart.ts'
import { api, subscribe } from '../client/client.ts'
import { createUartWindow } from './uart-window.ts'

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

/** Ports at work, and a window on the lines of the one that is shown. */
export const useUartStore = defineStore('uart', () => {
  const sessions = shallowRef<readonly UartSession[] | null>(null)
  const { show, add, ...window } = createUartWindow()

  function take(event: UartEvent) {
    if (event.type === 'sessions') sessions.value = event.sessions
    else if (event.id === window.shownId.value) add(event.lines)
  }
  /** Follows all sessions, and the lines of `id` when one is given; returns the stop function. */
  function follow(id: string | null) {
    show(id)
    return subscribe((signal) => api.uart.watch(id === null ? {} : { id }, { signal }), take)
  }
  return { sessions, follow, ...window, ...orders }
})
