import { contextBridge, ipcRenderer } from 'electron'
import type { DesktopBridge } from '../contract/ipc.ts'

// Names are checked again in main; here they keep a stray call from leaving the page at all.
const names: readonly string[] = ['app.info', 'app.openAtLogin', 'app.openExternal', 'dialog.openImage']

const bridge: DesktopBridge = {
  call: (name, input) => {
    if (!names.includes(name)) return Promise.reject(new Error(`no call ${name}`))
    return ipcRenderer.invoke(name, input)
  },
}

contextBridge.exposeInMainWorld('desktop', bridge)
