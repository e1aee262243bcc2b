import { BrowserWindow, session, shell } from 'electron'
import { fileURLToPath } from 'node:url'

const preload = fileURLToPath(new URL('../preload/preload.cjs', import.meta.url))

/** Only the microphone (talking to a virtual board), and only for the console itself. */
const allowedPermissions = new Set(['media', 'clipboard-sanitized-write'])

/** The console's window; `origin` is the server's loopback address. Nothing else is ever shown in it. */
export function createWindow(origin: string): BrowserWindow {
  const window = new BrowserWindow({
    width: 1280,
    height: 840,
    minWidth: 360,
    minHeight: 520,
    show: false,
    autoHideMenuBar: true,
    backgroundColor: '#0F1217',
    title: 'Roost',
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      devTools: true,
    },
  })
  window.once('ready-to-show', () => window.show())
  guardNavigation(window, origin)
  void window.loadURL(`${origin}/`)
  return window
}

function guardNavigation(window: BrowserWindow, origin: string): void {
  const stay = (event: Electron.Event, url: string) => {
    if (!isOurs(url, origin)) event.preventDefault()
  }
  window.webContents.on('will-navigate', (event) => stay(event, event.url))
  window.webContents.on('will-redirect', (event) => stay(event, event.url))
  window.webContents.on('will-attach-webview', (event) => event.preventDefault())
  window.webContents.setWindowOpenHandler(({ url }) => {
    if (URL.canParse(url) && new URL(url).protocol === 'https:') void shell.openExternal(url)
    return { action: 'deny' }
  })
}

/** Everything that a page may ask for is refused, but for the short list above and our own origin. */
export function guardPermissions(origin: string): void {
  const allowed = (permission: string, asker: string) => allowedPermissions.has(permission) && isOurs(asker, origin)
  session.defaultSession.setPermissionRequestHandler((contents, permission, answer) => {
    answer(allowed(permission, contents.getURL()))
  })
  session.defaultSession.setPermissionCheckHandler((_contents, permission, asker) => allowed(permission, asker))
  session.defaultSession.setDevicePermissionHandler(() => false)
}

export function isOurs(url: string, origin: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin
}

/** The window signs in by a cookie of this start: no secret is ever in an address. */
export async function signIn(origin: string, value: string): Promise<void> {
  await session.defaultSession.cookies.set({
    url: origin,
    name: 'roost_session',
    value,
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
  })
}
