import { app, type BrowserWindow, dialog, type Tray } from 'electron'
import { createLog } from '../base/log.ts'
import { answerPage } from './ipc.ts'
import { installMenu, installTray } from './menu.ts'
import { type ServerHost, type ServerReady, startServerHost } from './server-host.ts'
import { createWindow, guardPermissions, signIn } from './window.ts'
import { wordsFor } from './words.ts'

const log = createLog().child('main')
const life = {
  window: undefined as BrowserWindow | undefined,
  /** Kept here: a tray that nobody holds is collected, and its icon with it. */
  tray: undefined as Tray | undefined,
  host: undefined as ServerHost | undefined,
  /** Where the server answers now; another address after it was started again on a free port. */
  origin: '',
  quitting: 'no' as 'no' | 'asking' | 'yes',
}
const origin = () => life.origin

// A second start shows the window of the first: one server owns the data directory.
if (app.requestSingleInstanceLock()) start()
else app.quit()

function start(): void {
  app.enableSandbox()
  app.setAppUserModelId('app.roost.console')
  app.on('second-instance', showWindow)
  app.on('activate', showWindow)
  // The server goes on for its boards; Quit in the tray or the menu ends it.
  app.on('window-all-closed', () => undefined)
  app.on('before-quit', (event) => {
    if (life.quitting === 'yes') return
    event.preventDefault()
    if (life.quitting === 'no') quitInOrder().catch(complain('quitting'))
  })
  app
    .whenReady()
    .then(() => {
      life.host = startServerHost({
        log,
        options: serverOptions(process.argv),
        onReady: (ready) => void openConsole(ready).catch(complain('opening the window')),
        onFailed: (failure) => void giveUp(failure).catch(complain('giving up')),
      })
    })
    .catch(complain('starting'))
}

function complain(doing: string): (error: unknown) => void {
  return (error) => log.error(`${doing} failed`, { error })
}

function showWindow(): void {
  const { window } = life
  if (!window) return
  if (window.isMinimized()) window.restore()
  window.show()
}

/** After a restart of the server the same window is signed in anew, on the address that the server has now. */
async function openConsole(ready: ServerReady): Promise<void> {
  life.origin = new URL(ready.loopback).origin
  await signIn(life.origin, ready.session)
  life.window ??= prepareWindow()
  await life.window.loadURL(`${life.origin}/`)
}

function prepareWindow(): BrowserWindow {
  guardPermissions(origin)
  answerPage(origin, log)
  const window = createWindow(origin)
  installMenu(showWindow)
  life.tray = installTray(showWindow)
  window.on('close', (event) => {
    if (life.quitting === 'yes') return
    event.preventDefault()
    window.hide()
  })
  return window
}

/** A server that cannot start (a taken port, a data directory in use) will not by being tried again. */
async function giveUp({ code, message }: { code: string; message: string }): Promise<void> {
  dialog.showErrorBox(wordsFor(app.getLocale()).failedTitle, `${message}\n(${code})`)
  life.quitting = 'yes'
  await life.host?.stop()
  app.quit()
}

/** Jobs are named before they are parked; then the server, then the windows. */
async function quitInOrder(): Promise<void> {
  life.quitting = 'asking'
  const jobs = life.host?.runningJobs ?? []
  if (jobs.length > 0 && !(await confirmQuit(jobs))) {
    life.quitting = 'no'
    return
  }
  life.quitting = 'yes'
  await life.host?.stop()
  app.quit()
}

async function confirmQuit(jobs: readonly string[]): Promise<boolean> {
  const words = wordsFor(app.getLocale())
  const { response } = await dialog.showMessageBox({
    type: 'question',
    title: words.jobsTitle,
    message: words.jobsTitle,
    detail: `${words.jobsText}\n${jobs.join('\n')}`,
    buttons: [words.stay, words.leave],
    defaultId: 0,
    cancelId: 0,
  })
  return response === 1
}

/** `--data DIR`, `--port N` and `--loopback-port N` as `roost serve` takes them. */
function serverOptions(argv: readonly string[]): Record<string, unknown> {
  const value = (name: string) => {
    const at = argv.indexOf(name)
    return at < 0 ? undefined : argv[at + 1]
  }
  const port = (name: string) => (value(name) === undefined ? undefined : Number(value(name)))
  return {
    dataDir: value('--data') ?? process.env['ROOST_DATA'],
    port: port('--port'),
    loopbackPort: port('--loopback-port'),
  }
}
