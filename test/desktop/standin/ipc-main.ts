import { imitate } from './imitated.ts'
import { life } from './record.ts'

/** What a test needs to know of WebFrameMain; `parent` is null for the main frame. */
export interface SenderFrame {
  readonly url: string
  readonly origin: string
  readonly parent: SenderFrame | null
}

type Handler = (event: { senderFrame: SenderFrame | null }, ...args: readonly unknown[]) => unknown

const handlers = new Map<string, Handler>()

export const ipcMain = imitate('IpcMain', {
  handle(channel: string, handler: Handler) {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    handlers.set(channel, handler)
  },
})

export const frameAt = (url: string, parent: SenderFrame | null = null): SenderFrame =>
  imitate('WebFrameMain', { url, origin: URL.canParse(url) ? new URL(url).origin : 'null', parent })

/** Rejects with the words that Electron puts around a failure. */
export async function invokeMain(
  channel: string,
  senderFrame: SenderFrame | null,
  args: readonly unknown[],
): Promise<unknown> {
  const handler = handlers.get(channel)
  const event = imitate('IpcMainInvokeEvent', { senderFrame })
  try {
    if (!handler) throw new Error(`No handler registered for '${channel}'`)
    return await handler(event, ...args)
  } catch (error) {
    life.refusedHandlers.push(channel)
    throw new Error(`Error invoking remote method '${channel}': ${String(error)}`, { cause: error })
  }
}
