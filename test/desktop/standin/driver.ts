import { emitFromSystem } from './app.ts'
import { windows } from './browser-window.ts'
import { answerDialog, dialogs } from './dialogs.ts'
import { imitations } from './imitated.ts'
import { frameAt, invokeMain } from './ipc-main.ts'
import { clickItem, desk, menuRows } from './menu-tray.ts'
import { life } from './record.ts'
import { decide, type PermissionQuestion } from './session.ts'

// The test's hand: it looks at what the app did and does what a person or the system would. By IPC of the process.

/** Everything seen so far, as plain data. */
export function readDesk() {
  return {
    ...life,
    windows: windows.map(({ options, visible, minimised, focused, destroyed, url }) => ({
      options,
      visible,
      minimised,
      focused,
      destroyed,
      url: url(),
    })),
    menu: menuRows(desk.menu),
    trays: desk.trays.map(({ image, toolTip, menu }) => ({ image, toolTip, menu: menuRows(menu) })),
    dialogs: dialogs.map(({ kind, options, open }) => ({ kind, options, open })),
  }
}

export type Desk = ReturnType<typeof readDesk>

function newestWindow() {
  const window = windows.at(-1)
  if (!window) throw new Error('there is no window')
  return window
}

/** A main process that asks with a frame of the test's making; `url: null` is a frame that is gone. */
interface MadeUpCall {
  readonly channel: string
  readonly url: string | null
  readonly parentUrl?: string
  readonly args: readonly unknown[]
}

export const orders = {
  read: async () => readDesk(),
  imitations: async () => imitations(),
  clickMenu: async (label: string) => clickItem(desk.menu, label),
  clickTray: async (label: string) => clickItem(desk.trays[0]?.menu ?? [], label),
  clickTrayIcon: async () => void desk.trays[0]?.events.emit('click'),
  closeWindow: async () => newestWindow().close(),
  minimise: async () => void (newestWindow().minimised = true),
  answerDialog: async (value: unknown) => answerDialog(value),
  secondInstance: async () => emitFromSystem('second-instance', {}, [], ''),
  activate: async () => emitFromSystem('activate', {}, false),
  decide: async (question: PermissionQuestion) => decide(question),
  invoke: async ({ channel, url, parentUrl, args }: MadeUpCall) =>
    invokeMain(channel, url === null ? null : frameAt(url, parentUrl ? frameAt(parentUrl) : null), args),
  attachWebview: async () => {
    const event = { defaultPrevented: false, preventDefault: () => void (event.defaultPrevented = true) }
    newestWindow().contents.emit('will-attach-webview', event, {}, {})
    return event.defaultPrevented
  },
  load: async (url: string) => newestWindow().load(url),
}

export type Orders = typeof orders

export interface OrderMessage {
  readonly id: number
  readonly order: keyof Orders
  readonly input: unknown
}

export type OrderAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string }

export async function obey({ id, order, input }: OrderMessage): Promise<OrderAnswer> {
  try {
    const run = orders[order] as (input: unknown) => Promise<unknown>
    return { id, ok: true, value: await run(input) }
  } catch (error) {
    return { id, ok: false, error: error instanceof Error ? error.message : String(error) }
  }
}
