import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { type DesktopApp, sourceTree, startDesktop } from './desktop-app.ts'
import { readElectronTypes } from './electron-types.ts'

// The stand-in's own tests: small apps of a few lines run under it.

const running: { app?: DesktopApp; dir?: string } = {}
test.afterEach(async () => {
  await running.app?.stop()
  if (running.dir) rmSync(running.dir, { recursive: true, force: true })
})

/** `files` are an app; `main.js` starts it. What it prints with `say(value)` comes back by `said`. */
async function startApp(files: Readonly<Record<string, string>>): Promise<DesktopApp> {
  const dir = mkdtempSync(join(tmpdir(), 'roost-app-'))
  writeFileSync(join(dir, 'package.json'), '{"name":"small","version":"1.2.3","type":"module","main":"main.js"}')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  running.dir = dir
  running.app = await startDesktop({ appDir: dir })
  return running.app
}

const saying = `const say = (value) => process.stdout.write('said ' + JSON.stringify(value) + '\\n')\n`
const failing = `const failure = (run) => { try { run(); return 'no failure' } catch (error) { return error.message } }\n`
const said = (app: DesktopApp): unknown[] =>
  [...app.output().matchAll(/^said (.*)$/gm)].map((found) => JSON.parse(found[1]!) as unknown)

const webPreferences = `{ preload: join(import.meta.dirname, 'preload.cjs'), contextIsolation: true }`

test('every name that is imitated exists in electron.d.ts', async () => {
  const app = await startDesktop()
  running.app = app
  const page = await app.page()
  await page.locator('main h1').waitFor({ timeout: 60_000 })
  const imitated = await app.order('imitations', undefined)
  // The far side of the ports and the preload run in other processes; their names are few.
  const all = {
    ...imitated,
    ParentPort: { members: ['on', 'once', 'off', 'postMessage'], events: ['message'] },
    ContextBridge: { members: ['exposeInMainWorld'], events: [] },
    IpcRenderer: { members: ['invoke'], events: [] },
  }
  const types = readElectronTypes(readFileSync(join(sourceTree, 'node_modules/electron/electron.d.ts'), 'utf8'))
  const wrong = Object.entries(all).flatMap(([name, { members, events }]) => {
    const known = types.get(name)
    if (!known) return [`no ${name}`]
    return [
      ...members.filter((member) => !known.members.has(member)).map((member) => `${name}.${member}`),
      ...events.filter((event) => !known.events.has(event)).map((event) => `${name} '${event}'`),
    ]
  })
  expect(wrong).toEqual([])
  expect(Object.keys(all)).toEqual(expect.arrayContaining(['App', 'BrowserWindow', 'WebContents', 'Tray', 'Session']))
})

test('what nobody wrote throws, by name', async () => {
  const app = await startApp({
    'preload.cjs': '',
    'main.js': `import { app, BrowserWindow, dialog, Menu, session, utilityProcess } from 'electron'
      import { fork } from 'node:child_process'
      import { join } from 'node:path'
      ${saying}${failing}
      say(failure(() => new BrowserWindow({ webPreferences: ${webPreferences} })))
      say(failure(() => utilityProcess.fork('x.js')))
      await null
      app.whenReady().then(() => {
        const window = new BrowserWindow({ webPreferences: ${webPreferences} })
        say(failure(() => app.dock))
        say(failure(() => app.on('certificate-error', () => 0)))
        say(failure(() => window.setKiosk(true)))
        say(failure(() => { window.title = 'x' }))
        say(failure(() => window.webContents.send('x')))
        say(failure(() => dialog.showSaveDialog({})))
        say(failure(() => session.fromPartition('x')))
        say(failure(() => Menu.buildFromTemplate([{ label: 'x', checked: true }])))
        say(failure(() => utilityProcess.fork('x.js', [], { cwd: '.' })))
        say(failure(() => new BrowserWindow({ webPreferences: { nodeIntegration: true } })))
        say(failure(() => fork('x.js')))
        app.quit()
      })`,
  })
  expect(await app.exit).toBe(0)
  expect(said(app)).toEqual([
    'Cannot create BrowserWindow before app is ready',
    'utilityProcess cannot be created before app is ready',
    'not imitated: App.dock',
    "not imitated: the event 'certificate-error' of App",
    'not imitated: BrowserWindow.setKiosk',
    'not imitated: setting BrowserWindow.title',
    'not imitated: WebContents.send',
    'not imitated: Dialog.showSaveDialog',
    'not imitated: Session.fromPartition',
    'not imitated: the menu option checked',
    'not imitated: the fork option cwd',
    'not imitated: a window without a preload, without contextIsolation or with nodeIntegration',
    'child_process.fork fails inside Electron: the runAsNode fuse is off',
  ])
})

test('the bridge carries values, bytes, promises, callbacks and failures, and main knows who asks', async () => {
  const app = await startApp({
    'preload.cjs': `const { contextBridge, ipcRenderer } = require('electron')
      let other = 'none'
      try { require('node:fs') } catch (error) { other = error.message }
      contextBridge.exposeInMainWorld('small', {
        other, list: [1, 2], deep: { twice: (number) => number * 2 },
        each: (items, tell) => { for (const item of items) tell(item) },
        fail: () => { throw new Error('no') },
        ask: (...args) => ipcRenderer.invoke('ask', ...args),
        strange: () => failure(() => ipcRenderer.sendSync),
      })
      const failure = (run) => { try { run() } catch (error) { return error.message } }
      globalThis.leak = 'isolated'`,
    'main.js': `import { app, BrowserWindow, ipcMain } from 'electron'
      import { join } from 'node:path'
      ipcMain.handle('ask', (event, ...args) => ({
        from: event.senderFrame.url, top: event.senderFrame.parent === null, args,
        bytes: args[1] instanceof Uint8Array, nothing: args[2] === undefined && args.length === 3,
      }))
      app.whenReady().then(() => new BrowserWindow({ webPreferences: ${webPreferences} }).loadURL('data:text/html,<p>small'))`,
  })
  const page = await app.page()
  await page.locator('p').waitFor()
  const found = await page.evaluate(async () => {
    const small = (globalThis as unknown as { small: Record<string, never> }).small as unknown as {
      other: string
      list: number[]
      deep: { twice(number: number): Promise<number> }
      each(items: number[], tell: (item: number) => void): Promise<void>
      fail(): Promise<void>
      ask(...args: unknown[]): Promise<object>
      strange(): Promise<string>
    }
    const heard: number[] = []
    await small.each([7, 8], (item) => heard.push(item))
    return {
      other: small.other,
      twice: await small.deep.twice(21),
      heard,
      failed: await small.fail().catch((error: unknown) => String(error)),
      asked: await small.ask({ a: [1, null] }, Uint8Array.of(1, 2), undefined),
      strange: await small.strange(),
      leak: 'leak' in globalThis,
      frozen: Object.isFrozen(small) && Object.isFrozen(small.deep),
    }
  })
  expect(found).toEqual({
    other: 'module not found: node:fs',
    twice: 42,
    heard: [7, 8],
    failed: 'Error: no',
    asked: {
      from: 'data:text/html,<p>small',
      top: true,
      args: [{ a: [1, null] }, Uint8Array.of(1, 2), undefined],
      bytes: true,
      nothing: true,
    },
    strange: 'not imitated: ipcRenderer.sendSync',
    leak: false,
    frozen: true,
  })
})

test('ports go to utility processes, keep what came early, and close with the process', async () => {
  const app = await startApp({
    'echo.js': `process.parentPort.on('message', ({ data, ports: [port] }) => {
      port.on('message', (event) => event.data === 'end' ? process.exit(3) : port.postMessage([data, event.data]))
      port.start()
    })
    process.parentPort.postMessage({ send: typeof process.send })`,
    'main.js': `import { app, MessageChannelMain, utilityProcess } from 'electron'
      import { join } from 'node:path'
      ${saying}${failing}
      app.whenReady().then(() => {
        const child = utilityProcess.fork(join(import.meta.dirname, 'echo.js'))
        say(['pid before spawn', typeof child.pid])
        child.on('message', say)
        child.on('spawn', () => {
          const { port1, port2 } = new MessageChannelMain()
          port2.postMessage('early')
          child.postMessage('name', [port1])
          say(failure(() => child.postMessage('again', [port1])))
          say(failure(() => child.postMessage(() => 0)))
          port2.postMessage('late')
          port2.on('message', ({ data }) => { say(data); if (data[1] === 'late') port2.postMessage('end') })
          port2.on('close', () => say('closed'))
          port2.start()
        })
        child.on('exit', (code) => { say(['exit', code, typeof child.pid]); app.quit() })
      })`,
  })
  expect(await app.exit).toBe(0)
  expect(said(app)).toEqual([
    ['pid before spawn', 'undefined'],
    'Found invalid value in transferList: not a port, or handed on already',
    '() => 0 could not be cloned.',
    { send: 'undefined' },
    ['name', 'early'],
    ['name', 'late'],
    'closed',
    ['exit', 3, 'undefined'],
  ])
})

test('quitting asks windows and listeners in order, and each may refuse', async () => {
  const app = await startApp({
    'preload.cjs': '',
    'main.js': `import { app, BrowserWindow } from 'electron'
      import { join } from 'node:path'
      const refusals = new Set(['before-quit', 'close', 'will-quit'])
      const refuseOnce = (name) => (event) => { if (refusals.delete(name)) event.preventDefault() }
      app.on('before-quit', refuseOnce('before-quit'))
      app.on('will-quit', refuseOnce('will-quit'))
      app.on('second-instance', () => app.quit())
      app.on('window-all-closed', () => 0)
      app.whenReady().then(() => {
        const window = new BrowserWindow({ webPreferences: ${webPreferences} })
        window.on('close', refuseOnce('close'))
        return window.loadURL('about:blank')
      })`,
  })
  await app.page()
  for (const expected of [1, 2, 3]) {
    await app.order('secondInstance', undefined)
    const quits = async () => (await app.desk()).events.filter((event) => event === 'before-quit').length
    await expect.poll(quits).toBe(expected)
  }
  const { events } = await app.desk()
  const asked = 'second-instance'
  expect(events).toEqual(['ready', asked, 'before-quit', asked, 'before-quit', asked, 'before-quit', 'will-quit'])
  await app.order('secondInstance', undefined)
  expect(await app.exit).toBe(0)
})

test('an unhandled rejection in main is an exit code, not a green test', async () => {
  const app = await startApp({ 'main.js': `import 'electron'; void Promise.reject(new Error('forgotten'))` })
  expect(await app.exit).toBe(70)
  expect(app.output()).toContain('forgotten')
  await expect.poll(() => app.processes()).toEqual([])
})

test('a stand-in that is killed leaves no Chromium and no child behind', async () => {
  const app = await startApp({
    'stay.js': 'process.parentPort.on("message", () => 0)',
    'main.js': `import { app, utilityProcess } from 'electron'
      import { join } from 'node:path'
      app.whenReady().then(() => utilityProcess.fork(join(import.meta.dirname, 'stay.js')))`,
  })
  await expect.poll(async () => (await app.desk()).children.length).toBe(1)
  expect(app.processes().length).toBeGreaterThan(2)
  process.kill(app.pid, 'SIGKILL')
  await app.exit
  await expect.poll(() => app.processes()).toEqual([])
})
