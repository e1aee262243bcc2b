import type { UartRole } from '../../contract/uart.ts'
import type { McuTool } from '../../contract/uart-wire.ts'

export interface SessionOrder {
  readonly id: string
  readonly port: string
  readonly baud: number
  readonly role: UartRole
  readonly deviceId: string | null
  readonly virtual: boolean
  /** Saved by an earlier run: the board reads them again at each wake-up. */
  readonly tools: readonly McuTool[]
}
