import { app, dialog, ipcMain, type IpcMainInvokeEvent, shell } from 'electron'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { ipc, type IpcInput, type IpcName, type IpcOutput } from '../contract/ipc.ts'
import type { Log } from '../base/log.ts'
import { isOurs, type Origin } from './window.ts'

type Answers = { readonly [N in IpcName]: (input: IpcInput<N>) => Promise<IpcOutput<N>> }

const largestImageBytes = 64 * 1024 * 1024

const answers: Answers = {
  'app.info': async () => ({ version: app.getVersion(), platform: process.platform }),
  'app.openAtLogin': async (open) => {
    app.setLoginItemSettings({ openAtLogin: open })
    return app.getLoginItemSettings().openAtLogin
  },
  'app.openExternal': async (url) => {
    await shell.openExternal(url)
    return true
  },
  'dialog.openImage': async () => {
    const { canceled, filePaths } = await dialog.showOpenDialog({
      properties: ['openFile'],
      filters: [{ name: 'ESP32 image', extensions: ['bin'] }],
    })
    const file = filePaths[0]
    if (canceled || file === undefined) return null
    if ((await stat(file)).size > largestImageBytes) return null
    return { name: basename(file), bytes: new Uint8Array(await readFile(file)) }
  },
}

/** The one door of ipcMain: who asks and what they ask is checked here, for every call. */
export function answerPage(origin: Origin, log: Log): void {
  for (const name of Object.keys(ipc) as IpcName[]) {
    ipcMain.handle(name, async (event, input: unknown) => {
      if (!isConsole(event, origin())) {
        log.warn('call from a foreign page refused', { call: name })
        throw new Error('refused')
      }
      return answer(name, input)
    })
  }
}

function answer<N extends IpcName>(name: N, input: unknown): Promise<IpcOutput<N>> {
  return answers[name](ipc[name].input.parse(input) as IpcInput<N>)
}

/** The frame may be gone by now (null), and a sub-frame is not the console. */
function isConsole(event: IpcMainInvokeEvent, origin: string): boolean {
  const frame = event.senderFrame
  return frame !== null && frame.parent === null && isOurs(frame.url, origin)
}
