import { z } from 'zod'

/** The few calls that only Electron can serve: name → argument and answer. A browser has a fallback for each. */
export const ipc = {
  'app.info': { input: z.undefined(), output: z.object({ version: z.string(), platform: z.string() }) },
  'app.openAtLogin': { input: z.boolean(), output: z.boolean() },
  'app.openExternal': { input: z.url({ protocol: /^https$/ }), output: z.boolean() },
  'dialog.openImage': {
    input: z.undefined(),
    output: z.object({ name: z.string(), bytes: z.instanceof(Uint8Array) }).nullable(),
  },
} as const

export type IpcName = keyof typeof ipc
export type IpcInput<N extends IpcName> = z.infer<(typeof ipc)[N]['input']>
export type IpcOutput<N extends IpcName> = z.infer<(typeof ipc)[N]['output']>

/** What the page finds as `window.desktop` in the desktop app, and not in a browser. */
export interface DesktopBridge {
  call<N extends IpcName>(name: N, input: IpcInput<N>): Promise<IpcOutput<N>>
}
