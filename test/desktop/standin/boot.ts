import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { allWindowsClosed, becomeReady, prepareApp } from './app.ts'
import { useWindows } from './browser-window.ts'
import { startChromium } from './chromium-process.ts'
import { onDialog } from './dialogs.ts'
import { obey, type OrderMessage } from './driver.ts'
import { forbidFork } from './forbid-fork.ts'
import { life } from './record.ts'
import { useContext } from './session.ts'
import { endUtilities } from './utility-process.ts'

// What `electron APPDIR …` is for the real thing: `node boot.ts APPDIR …`, started by a test with an IPC channel.

const appDir = resolve(process.argv[2] ?? '.')
process.argv.splice(1, 2, appDir)
const send = process.send?.bind(process)
if (!send) throw new Error('the stand-in is started by a test, with an IPC channel')

const starting = startChromium()
let ending = false
async function end(code: number): Promise<void> {
  if (ending) return
  ending = true
  await endUtilities()
  await starting.then((chromium) => chromium.close()).catch(() => undefined)
  process.exit(code)
}

// A test that failed or was killed leaves nothing running: no window, no server, no main.
process.on('disconnect', () => void end(1))
process.on('SIGTERM', () => void end(143))
// Electron would show a dialog; here the test must fail. Chromium and the children go with this process.
process.on('uncaughtException', (error) => {
  // What is still loading when the app quits fails then, and Electron is past caring too.
  if (ending) return
  process.stderr.write(`uncaught in main: ${error.stack ?? String(error)}\n`)
  void end(70)
})
onDialog((dialog) => send({ dialog }))
process.on('message', (message) => void obey(message as OrderMessage).then((answer) => send(answer)))

const standin = new URL('./electron.ts', import.meta.url).href
registerHooks({
  resolve: (name, context, next) => (name === 'electron' ? { url: standin, shortCircuit: true } : next(name, context)),
})
prepareApp({ appDir, lockIsFree: !process.argv.includes('--standin-second'), end })
forbidFork()

const { main } = JSON.parse(readFileSync(join(appDir, 'package.json'), 'utf8')) as { main: string }
// `ready` comes after the entry was evaluated: an entry that awaits it at its top level hangs, as in Electron.
await import(pathToFileURL(join(appDir, main)).href)
const chromium = await starting
useContext(chromium.context)
useWindows(chromium.context, allWindowsClosed)
send({ endpoint: chromium.endpoint })
if (!life.quitting) becomeReady()
