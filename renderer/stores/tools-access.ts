import { defineStore } from 'pinia'
import type { DeviceClass, ToolPolicy } from '../../electron/contract/tool-policy.ts'
import { api } from '../client/client.ts'

/** Who may call what: policies of agents, classes and devices. */
export const useToolAccessStore = defineStore('tool-access', () => ({
  policies: () => api.policies.list(),
  put: (policy: ToolPolicy) => api.policies.put(policy),
  remove: (scope: ToolPolicy['scope'], id: string) => api.policies.remove({ scope, id }),
  classes: () => api.policies.classes(),
  putClass: (order: Omit<DeviceClass, 'active'>) => api.policies.putClass(order),
  removeClass: (id: string) => api.policies.removeClass({ id }),
  activate: (id: string, active: boolean) => api.policies.activate({ id, active }),
}))
