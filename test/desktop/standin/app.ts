import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { windows } from './browser-window.ts'
import { createEvents, imitate, preventable } from './imitated.ts'
import { life } from './record.ts'

const events = createEvents('App', [
  'ready',
  'window-all-closed',
  'before-quit',
  'will-quit',
  'quit',
  'activate',
  'second-instance',
])
const ready = Promise.withResolvers<undefined>()
const surroundings = {
  appDir: '',
  lockIsFree: true,
  listensToAllClosed: false,
  end: (_code: number): Promise<void> => Promise.resolve(),
}

interface Surroundings {
  /** The folder with package.json that Electron was started with. */
  readonly appDir: string
  /** False: another instance of the app runs. */
  readonly lockIsFree: boolean
  /** Ends Chromium, the utility processes and this one. */
  end(code: number): Promise<void>
}

export function prepareApp(around: Surroundings): void {
  Object.assign(surroundings, around)
}

export function becomeReady(): void {
  life.ready = true
  emit('ready')
  ready.resolve(undefined)
}

/** From outside: another start, a click on the dock icon. */
export const emitFromSystem = (event: 'second-instance' | 'activate', ...args: readonly unknown[]): void =>
  emit(event, ...args)

function emit(event: string, ...args: readonly unknown[]): void {
  life.events.push(event)
  events.emit(event, ...args)
}

/** All windows are closed, by whom ever. Without a listener Electron quits. */
export function allWindowsClosed(): void {
  if (life.quitting) return
  emit('window-all-closed')
  if (!surroundings.listensToAllClosed) quit()
}

function quit(): void {
  const before = preventable({})
  emit('before-quit', before)
  if (before.defaultPrevented) return
  life.quitting = true
  // A window may refuse to be closed, which calls the quitting off.
  if (!windows.every((window) => window.close())) {
    life.quitting = false
    return
  }
  const will = preventable({})
  emit('will-quit', will)
  if (will.defaultPrevented) {
    life.quitting = false
    return
  }
  exit(0)
}

function exit(code = 0): void {
  life.quitting = true
  emit('quit', preventable({}), code)
  for (const window of windows) window.destroy()
  void surroundings.end(code)
}

const manifest = () =>
  JSON.parse(readFileSync(join(surroundings.appDir, 'package.json'), 'utf8')) as { version: string; name: string }

const noted =
  <A extends readonly unknown[], R>(name: string, run: (...args: A) => R) =>
  (...args: A): R => {
    life.calls.push({ name, args, ready: life.ready })
    return run(...args)
  }

const login = { openAtLogin: false }

export const app = imitate(
  'App',
  {
    ...events.members,
    on(event: string, listener: (...args: never[]) => void) {
      if (event === 'window-all-closed') surroundings.listensToAllClosed = true
      events.members.on(event, listener)
    },
    whenReady: () => ready.promise,
    isReady: () => life.ready,
    quit: () => {
      // Electron quits after the caller's turn: code behind app.quit() still runs.
      setImmediate(quit)
    },
    exit,
    getVersion: () => manifest().version,
    getName: () => manifest().name,
    getLocale: () => life.locale,
    getAppPath: () => surroundings.appDir,
    enableSandbox: noted('enableSandbox', () => {
      if (life.ready) throw new Error('app.enableSandbox() can only be called before app is ready')
    }),
    setAppUserModelId: noted('setAppUserModelId', (_id: string) => undefined),
    requestSingleInstanceLock: noted('requestSingleInstanceLock', () => surroundings.lockIsFree),
    setLoginItemSettings: noted('setLoginItemSettings', ({ openAtLogin }: { openAtLogin: boolean }) => {
      login.openAtLogin = openAtLogin
    }),
    getLoginItemSettings: () => ({ ...login }),
  },
  events,
)
