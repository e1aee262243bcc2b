import { app, type BrowserWindow, dialog } from 'electron'
import { createLog } from '../base/log.ts'
import { answerPage } from './ipc.ts'
import { installMenu, installTray } from './menu.ts'
import { type ServerHost, type ServerReady, startServerHost } from './server-host.ts'
import { createWindow, guardPermissions, signIn } from './window.ts'
import { wordsFor } from './words.ts'

const log = createLog().child('main')
const life = {
  window: undefined as BrowserWindow | undefined,
  host: undefined as ServerHost | undefined,
  quitting: false,
}

// A second start shows the window of the first: one server owns the data directory.
if (app.requestSingleInstanceLock()) start()
else app.quit()

function start(): void {
  app.enableSandbox()
  app.setAppUserModelId('app.roost.console')
  app.on('second-instance', () => life.window?.show())
  app.on('activate', () => life.window?.show())
  // The server goes on for its boards; Quit in the tray or the menu ends it.
  app.on('window-all-closed', () => undefined)
  app.on('before-quit', (event) => {
    if (life.quitting) return
    event.preventDefault()
    void quitInOrder()
  })
  void app.whenReady().then(() => {
    life.host = startServerHost({
      log,
      options: serverOptions(process.argv),
      onReady: (ready) => void openConsole(ready),
      onFailed: ({ code, message }) => {
        dialog.showErrorBox(wordsFor(app.getLocale()).failedTitle, `${message}\n(${code})`)
        life.quitting = true
        app.quit()
      },
    })
  })
}

/** After a restart of the server the same window is signed in anew, on the address that the server has now. */
async function openConsole(ready: ServerReady): Promise<void> {
  const origin = new URL(ready.loopback).origin
  await signIn(origin, ready.session)
  if (life.window && !life.window.isDestroyed()) {
    await life.window.loadURL(`${origin}/`)
    return
  }
  guardPermissions(origin)
  answerPage(origin, log)
  const window = createWindow(origin)
  life.window = window
  installMenu(window)
  installTray(window)
  window.on('close', (event) => {
    if (life.quitting) return
    event.preventDefault()
    window.hide()
  })
}

/** Jobs are named before they are parked; then the server, then the windows. */
async function quitInOrder(): Promise<void> {
  const jobs = life.host?.runningJobs ?? []
  if (jobs.length > 0 && !(await confirmQuit(jobs))) return
  life.quitting = true
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
