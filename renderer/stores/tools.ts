import { defineStore } from 'pinia'
import { api } from '../client/client.ts'

export const useToolsStore = defineStore('tools', () => ({
  ofDevice: (deviceId: string) => api.tools.ofDevice({ deviceId }),
  refresh: (deviceId: string) => api.tools.refresh({ deviceId }),
  publish: (name: string, version: number) => api.tools.publish({ name, version }),
  call: (deviceId: string, name: string, args: Record<string, unknown>) =>
    api.tools.call({ deviceId, name, arguments: args }),
}))
