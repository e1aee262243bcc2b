import type { BrowserContext } from 'playwright'
import { createEvents, type Events, imitate, notImitated, preventable } from './imitated.ts'
import { openWindowPage, type WindowPage } from './window-page.ts'

interface WindowOptions {
  readonly width?: number
  readonly height?: number
  readonly show?: boolean
  readonly webPreferences?: Readonly<Record<string, unknown>>
}

/** A window as the test sees it. */
export interface WindowRow {
  readonly options: WindowOptions
  visible: boolean
  minimised: boolean
  focused: number
  destroyed: boolean
  readonly url: () => string
  /** A person clicks the cross. True when the window is gone. */
  close(): boolean
  destroy(): void
  /** Main loads an address itself, which no guard is asked about. */
  load(url: string): Promise<void>
  readonly contents: Pick<Events, 'emit'>
}

type OpenHandler = (details: { url: string; frameName: string }) => { action: string }

export const windows: WindowRow[] = []
const world: { context?: BrowserContext; onAllClosed: () => void } = { onAllClosed: () => undefined }

export function useWindows(context: BrowserContext, onAllClosed: () => void): void {
  world.context = context
  world.onAllClosed = onAllClosed
}

export const BrowserWindow = imitate(
  'BrowserWindow',
  Object.assign(function (options: WindowOptions) {
    if (!world.context) throw new Error('Cannot create BrowserWindow before app is ready')
    return createWindow(options, world.context)
  }, {}),
)

function createWindow(options: WindowOptions, context: BrowserContext) {
  const { preload, contextIsolation, nodeIntegration } = options.webPreferences ?? {}
  if (typeof preload !== 'string' || contextIsolation === false || nodeIntegration === true) {
    throw notImitated('a window without a preload, without contextIsolation or with nodeIntegration')
  }
  const events = createEvents('BrowserWindow', ['ready-to-show', 'close', 'closed', 'show', 'hide'])
  const contents = createContents(() => page)
  let shown = false
  const { width = 800, height = 600 } = options
  const page = openWindowPage(
    { context, preload, size: { width, height } },
    {
      ...contents.guards,
      loaded() {
        if (!shown) events.emit('ready-to-show')
        shown = true
        contents.guards.loaded()
      },
    },
  )
  // A load waits for it and tells; without one nobody may be listening.
  page.catch(() => undefined)
  const row = createRow({ options, page, emit: (event, ...args) => events.emit(event, ...args), contents })
  windows.push(row)
  const setVisible = (visible: boolean) => {
    if (row.visible === visible) return
    row.visible = visible
    events.emit(visible ? 'show' : 'hide')
  }
  return imitate(
    'BrowserWindow',
    {
      ...events.members,
      webContents: contents.webContents,
      loadURL: contents.load,
      show() {
        setVisible(true)
        row.focused += 1
      },
      hide: () => setVisible(false),
      focus: () => void (row.focused += 1),
      isVisible: () => row.visible,
      isMinimized: () => row.minimised,
      restore: () => void (row.minimised = false),
      isDestroyed: () => row.destroyed,
      close: () => void row.close(),
      destroy: () => row.destroy(),
    },
    events,
  )
}

function createContents(page: () => Promise<WindowPage>) {
  const events = createEvents('WebContents', [
    'will-navigate',
    'will-redirect',
    'will-attach-webview',
    'did-finish-load',
    'render-process-gone',
  ])
  let open: OpenHandler | undefined
  let here = ''
  async function load(url: string): Promise<void> {
    const opened = await page()
    await opened.load(url)
    here = opened.url()
  }
  const guards = {
    mayNavigate(url: string, how: 'navigate' | 'redirect') {
      const event = preventable({ url, isMainFrame: true })
      events.emit(how === 'navigate' ? 'will-navigate' : 'will-redirect', event)
      return !event.defaultPrevented
    },
    popup(url: string, frameName: string) {
      const answer = open?.({ url, frameName })
      if (answer?.action !== 'deny') throw notImitated('a popup that is not denied')
    },
    loaded: () => void events.emit('did-finish-load'),
    crashed: () => void events.emit('render-process-gone', preventable({}), { reason: 'crashed', exitCode: 5 }),
  }
  const webContents = imitate(
    'WebContents',
    {
      ...events.members,
      getURL: () => here,
      setWindowOpenHandler: (handler: OpenHandler) => void (open = handler),
    },
    events,
  )
  return {
    webContents,
    guards,
    load,
    url: () => here,
    emit: (event: string, ...args: readonly unknown[]) => events.emit(event, ...args),
  }
}

function createRow(parts: {
  options: WindowOptions
  page: Promise<WindowPage>
  emit: Events['emit']
  contents: ReturnType<typeof createContents>
}): WindowRow {
  const row: WindowRow = {
    options: parts.options,
    visible: parts.options.show !== false,
    minimised: false,
    focused: 0,
    destroyed: false,
    url: parts.contents.url,
    load: parts.contents.load,
    contents: parts.contents,
    close() {
      if (row.destroyed) return true
      const event = preventable({})
      parts.emit('close', event)
      if (!event.defaultPrevented) row.destroy()
      return row.destroyed
    },
    destroy() {
      if (row.destroyed) return
      row.destroyed = true
      row.visible = false
      parts.page.then((page) => page.close()).catch(() => undefined)
      parts.emit('closed')
      if (windows.every((one) => one.destroyed)) world.onAllClosed()
    },
  }
  return row
}
