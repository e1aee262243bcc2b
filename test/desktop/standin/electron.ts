// What `import … from 'electron'` of the built main bundle gets under the stand-in (see hooks in boot.ts).
export { app } from './app.ts'
export { BrowserWindow } from './browser-window.ts'
export { dialog, shell } from './dialogs.ts'
export { ipcMain } from './ipc-main.ts'
export { Menu, nativeImage, Tray } from './menu-tray.ts'
export { MessageChannelMain } from './port-hub.ts'
export { session } from './session.ts'
export { utilityProcess } from './utility-process.ts'
