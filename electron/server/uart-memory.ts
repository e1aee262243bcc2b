import { z } from 'zod'
import type { McuTool } from '../contract/uart-wire.ts'
import type { DeviceRow, Store } from './store/store.ts'

const SavedTools = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    properties: z.record(z.string(), z.object({ type: z.string(), description: z.string() })),
  }),
)

export interface ToolMemory {
  read(port: string): Promise<McuTool[]>
  keep(port: string, tools: readonly McuTool[]): Promise<void>
}

/** The set that a microcontroller declared is saved on the board and read again at each wake-up (uart-mcp.md §2). */
export function createToolMemory({ meta }: Pick<Store, 'meta'>): ToolMemory {
  const keyOf = (port: string) => `uart.tools.${port.slice(0, 200)}`
  // The next pseudo-terminal of this name is another microcontroller.
  const lasts = (port: string) => !/^\/dev\/(pts\/|ttys\d)/.test(port)
  return {
    async read(port) {
      const text = lasts(port) ? await meta.get(keyOf(port)) : undefined
      return text === undefined ? [] : (SavedTools.safeParse(JSON.parse(text)).data ?? [])
    },
    async keep(port, tools) {
      if (lasts(port)) await meta.set(keyOf(port), JSON.stringify(tools))
    },
  }
}

/** The board type of a microcontroller that is a device of its own. */
export const mcuBoard = 'uart-mcu'

export function mcuDeviceId(port: string): string {
  const place = port.replace(/^\/dev\//, '').replace(/[^A-Za-z0-9]+/g, '-')
  return `uart-${place}`.toLowerCase().slice(0, 64)
}

export function mcuDevice(port: string, { virtual, now }: { virtual: boolean; now: number }): DeviceRow {
  return {
    id: mcuDeviceId(port),
    name: `MCU ${port.replace(/^\/dev\//, '')}`.slice(0, 60),
    board: mcuBoard,
    firmware: { name: 'uart-mcp', version: '1' },
    virtual,
    blocked: false,
    enrolledBy: 'approval',
    createdAt: now,
    lastSeenAt: now,
    lastAddress: port,
  }
}
