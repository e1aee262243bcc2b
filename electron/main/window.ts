import { BrowserWindow, session, shell } from 'electron'
import { fileURLToPath } from 'node:url'

const preload = fileURLToPath(new URL('../preload/preload.cjs', import.meta.url))

/** The server's loopback address right now: a server that was started again may have another port. */
export type Origin = () => string

/** Talking to a virtual board, and copying an address; only for the console itself. */
const allowedPermissions = new Set(['media', 'clipboard-sanitized-write'])

/** The console's window. Nothing but the server's own page is ever shown in it. */
export function createWindow(origin: Origin): BrowserWindow {
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
  return window
}

function guardNavigation(window: BrowserWindow, origin: Origin): void {
  const stay = (event: Electron.Event, url: string) => {
    if (!isOurs(url, origin())) event.preventDefault()
  }
  window.webContents.on('will-navigate', (event) => stay(event, event.url))
  window.webContents.on('will-redirect', (event) => stay(event, event.url))
  window.webContents.on('will-attach-webview', (event) => event.preventDefault())
  window.webContents.setWindowOpenHandler(({ url }) => {
    if (URL.canParse(url) && new URL(url).protocol === 'https:') void shell.openExternal(url)
    return { action: 'deny' }
  })
}

/** Everything that a page may ask for is refused, but for the short list above, our own origin, and no camera. */
export function guardPermissions(origin: Origin): void {
  const allowed = (permission: string, asker: string, media: readonly string[]) =>
    allowedPermissions.has(permission) && isOurs(asker, origin()) && !media.includes('video')
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((...[, permission, answer, details]) => {
    const media = 'mediaTypes' in details ? (details.mediaTypes ?? []) : []
    // The address of the frame that asks: a window of ours may hold a foreign frame.
    answer(allowed(permission, details.requestingUrl, media))
  })
  defaultSession.setPermissionCheckHandler((...[, permission, asker, { mediaType }]) =>
    allowed(permission, asker, mediaType ? [mediaType] : []),
  )
  defaultSession.setDevicePermissionHandler(() => false)
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
