import { app, Menu, nativeImage, Tray } from 'electron'
import { fileURLToPath } from 'node:url'
import { resourceUrl } from '../base/entries.ts'
import { type AppWords, wordsFor } from './words.ts'

export function installMenu(show: () => void): void {
  const words = wordsFor(app.getLocale())
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      {
        label: words.file,
        submenu: [
          { label: words.show, click: show },
          { label: words.quit, accelerator: 'CmdOrCtrl+Q', click: () => app.quit() },
        ],
      },
      {
        label: words.edit,
        submenu: [
          { role: 'undo' },
          { role: 'redo' },
          { type: 'separator' },
          { role: 'cut' },
          { role: 'copy' },
          { role: 'paste' },
          { role: 'selectAll' },
        ],
      },
      {
        label: words.view,
        submenu: [
          { role: 'reload' },
          { role: 'resetZoom' },
          { role: 'zoomIn' },
          { role: 'zoomOut' },
          { role: 'togglefullscreen' },
        ],
      },
    ]),
  )
}

/** Closing the window leaves the server running for its boards: the tray is the way back, and the way out. */
export function installTray(show: () => void): Tray {
  const words: AppWords = wordsFor(app.getLocale())
  const tray = new Tray(nativeImage.createFromPath(fileURLToPath(resourceUrl('icons/tray.png'))))
  tray.setToolTip('Roost')
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: words.show, click: show },
      { type: 'separator' },
      { label: words.quit, click: () => app.quit() },
    ]),
  )
  tray.on('click', show)
  return tray
}
