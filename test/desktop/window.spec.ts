import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { type DesktopApp, startDesktop } from './desktop-app.ts'
import { type ForeignSite, startForeignSite } from './foreign-site.ts'
import { accountOf, callBridge } from './page-bridge.ts'

let desktop: DesktopApp
let foreign: ForeignSite
let page: Page
let home: string

test.beforeAll(async () => {
  foreign = await startForeignSite()
  desktop = await startDesktop()
  page = await desktop.page()
  await page.locator('main h1').waitFor({ timeout: 60_000 })
  home = new URL(page.url()).origin
})
test.afterAll(async () => {
  await desktop.stop()
  foreign.close()
})

test('the window is signed in without an account', async () => {
  expect(await accountOf(page)).toEqual({ name: 'desktop', role: 'owner' })
})

test('the first screen is the console, not the making of an account', async () => {
  await expect(page).toHaveURL(`${home}/fleet`)
  await expect(page.getByRole('navigation').first()).toBeVisible()
})

test('no secret is in the address, and scripts cannot read the cookie', async () => {
  expect(new URL(page.url()).search + new URL(page.url()).hash).toBe('')
  expect(await page.evaluate(() => document.cookie)).toBe('')
})

test('the window is made as the checklist asks', async () => {
  const { windows, calls } = await desktop.desk()
  expect(windows).toHaveLength(1)
  const options = windows[0]!.options
  const { preload, ...preferences } = options.webPreferences as Record<string, unknown> & { preload: string }
  expect(preferences).toEqual({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    webviewTag: false,
    spellcheck: false,
    devTools: true,
  })
  expect(preload).toMatch(/out[/\\]preload[/\\]preload\.cjs$/)
  expect(existsSync(preload)).toBe(true)
  expect(options).toMatchObject({ show: false, title: 'Roost', minWidth: 360, minHeight: 520 })
  const early = calls.filter((call) => !call.ready).map((call) => call.name)
  expect(early).toEqual(['requestSingleInstanceLock', 'enableSandbox', 'setAppUserModelId'])
  expect(calls.find(({ name }) => name === 'setAppUserModelId')!.args).toEqual(['app.roost.console'])
  expect(await desktop.order('attachWebview', undefined)).toBe(true)
  expect(windows[0]!.visible).toBe(true)
})

test('the page finds the bridge and nothing else of Electron or Node', async () => {
  const found = await page.evaluate(() => {
    const all = globalThis as unknown as Record<string, unknown>
    const desktop = all['desktop'] as Record<string, unknown>
    const strange = ['require', 'process', 'module', 'electron', 'ipcRenderer', 'contextBridge', 'Buffer', '__dirname']
    return {
      members: Object.fromEntries(Object.entries(desktop).map(([name, value]) => [name, typeof value])),
      frozen: Object.isFrozen(desktop),
      strange: strange.filter((name) => name in all),
    }
  })
  expect(found).toEqual({ members: { call: 'function' }, frozen: true, strange: [] })
})

test('the four calls of the bridge answer', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'roost-image-'))
  writeFileSync(join(dir, 'blink.bin'), Uint8Array.of(0xe9, 0, 255))
  const manifest = { version: '0.1.0', platform: process.platform }
  expect(await callBridge(page, 'app.info')).toEqual(manifest)
  expect(await callBridge(page, 'app.openAtLogin', true)).toBe(true)
  expect(await callBridge(page, 'app.openAtLogin', false)).toBe(false)
  expect(await callBridge(page, 'app.openExternal', 'https://roost.example/help')).toBe(true)
  expect((await desktop.desk()).opened).toContain('https://roost.example/help')
  const picked = page.evaluate(async () => {
    const { desktop } = globalThis as unknown as {
      desktop: { call(name: string): Promise<{ name: string; bytes: Uint8Array } | null> }
    }
    const image = await desktop.call('dialog.openImage')
    return image && { name: image.name, bytes: [...image.bytes] }
  })
  await expect.poll(async () => (await desktop.desk()).dialogs.at(-1)?.open).toBe(true)
  await desktop.order('answerDialog', { canceled: false, filePaths: [join(dir, 'blink.bin')] })
  expect(await picked).toEqual({ name: 'blink.bin', bytes: [0xe9, 0, 255] })
  rmSync(dir, { recursive: true })
})

test('calls that no contract row allows are refused', async () => {
  expect(await callBridge(page, 'shell.run', 'x')).toBe('refused: no call shell.run')
  expect(await callBridge(page, 'app.openExternal', 'http://roost.example/')).toMatch(/^refused: Error invoking/)
  expect(await callBridge(page, 'app.openExternal', 'file:///etc/passwd')).toMatch(/^refused: Error invoking/)
  expect(await callBridge(page, 'app.openAtLogin', 'yes')).toMatch(/^refused: Error invoking/)
})

test('a frame that is not the console gets no answer from main', async () => {
  const ask = (url: string | null, parentUrl?: string) =>
    desktop
      .order('invoke', { channel: 'app.info', url, args: [], ...(parentUrl ? { parentUrl } : {}) })
      .catch((error: unknown) => (error as Error).message)
  const refused = "Error invoking remote method 'app.info': Error: refused"
  expect(await ask(`${home}/fleet`)).toMatchObject({ version: '0.1.0' })
  expect(await ask(`${home}/fleet`, `${home}/`)).toBe(refused)
  expect(await ask(foreign.origin)).toBe(refused)
  expect(await ask(`${home}.example.org/`)).toBe(refused)
  expect(await ask('about:blank')).toBe(refused)
  expect(await ask(null)).toBe(refused)
})

test('a foreign page in the window finds main deaf', async () => {
  await desktop.order('load', `${foreign.origin}/`)
  await expect(page.locator('h1')).toHaveText('foreign')
  expect(await callBridge(page, 'app.info')).toBe("refused: Error invoking remote method 'app.info': Error: refused")
  await desktop.order('load', `${home}/`)
  expect(await callBridge(page, 'app.info')).toMatchObject({ version: '0.1.0' })
})

test('navigating away keeps the console', async () => {
  const before = page.url()
  await page.evaluate((to) => window.location.assign(to), `${foreign.origin}/`)
  await page.evaluate(() => fetch('/auth/state'))
  expect(page.url()).toBe(before)
  await expect(page.locator('main h1')).toBeVisible()
})

test('a redirect to another origin is refused, a reload of the console is not', async () => {
  const outcome = await desktop.order('load', `${foreign.origin}/away`).catch((error: unknown) => String(error))
  expect(outcome).toContain('ERR_ABORTED')
  await page.evaluate(() => {
    Object.assign(globalThis, { beforeReload: true })
    window.location.reload()
  })
  await page.waitForFunction(() => !('beforeReload' in globalThis))
  await expect(page.locator('main h1')).toBeVisible()
})

test('popups open in the system browser, https only', async () => {
  const open = (url: string) => page.evaluate((to) => void window.open(to, '_blank'), url)
  const opened = async () => (await desktop.desk()).opened
  const before = (await opened()).length
  await open(`${foreign.origin}/`)
  await open('data:text/html,hi')
  await open('https://roost.example/manual')
  await expect.poll(opened).toHaveLength(before + 1)
  expect((await opened()).at(-1)).toBe('https://roost.example/manual')
  await expect.poll(() => page.context().pages().length).toBe(1)
})

test('permissions are refused, but for the microphone and the clipboard of the console', async () => {
  const here = `${home}/fleet`
  const there = `${foreign.origin}/`
  const row = async (permission: string, asker: string, details = {}) =>
    [
      await desktop.order('decide', { kind: 'request', permission, page: here, asker, details }),
      await desktop.order('decide', { kind: 'check', permission, page: here, asker, details }),
    ].join(' ')
  expect(await row('media', here, { mediaTypes: ['audio'], mediaType: 'audio' })).toBe('true true')
  expect(await row('media', here, { mediaTypes: ['audio', 'video'], mediaType: 'video' })).toBe('false false')
  expect(await row('media', there, { mediaTypes: ['audio'], mediaType: 'audio' })).toBe('false false')
  expect(await row('clipboard-sanitized-write', here)).toBe('true true')
  for (const permission of ['geolocation', 'notifications', 'clipboard-read', 'fullscreen', 'serial', 'hid', 'usb']) {
    expect(await row(permission, here), permission).toBe('false false')
  }
  expect(await desktop.order('decide', { kind: 'device', permission: 'serial', page: here, asker: here })).toBe(false)
})

test('closing the window hides it, and tray, menu, dock and a second start bring it back', async () => {
  const visible = async () => (await desktop.desk()).windows[0]!.visible
  const roads = [
    () => desktop.order('clickTray', 'Show Roost'),
    () => desktop.order('clickTrayIcon', undefined),
    () => desktop.order('clickMenu', 'Show Roost'),
    () => desktop.order('activate', undefined),
    () => desktop.order('secondInstance', undefined),
  ]
  for (const back of roads) {
    expect(await desktop.order('closeWindow', undefined)).toBe(false)
    expect(await visible()).toBe(false)
    await back()
    expect(await visible()).toBe(true)
  }
  await desktop.order('minimise', undefined)
  await desktop.order('secondInstance', undefined)
  expect((await desktop.desk()).windows[0]).toMatchObject({ visible: true, minimised: false, destroyed: false })
})

test('tray and menu have a picture and the words', async () => {
  const { trays, menu } = await desktop.desk()
  const labels = (rows: readonly { label: string; role: string }[]) => rows.map(({ label, role }) => label || role)
  expect(trays).toHaveLength(1)
  expect(trays[0]!.image.width).toBeGreaterThan(0)
  expect(trays[0]!.toolTip).toBe('Roost')
  expect(labels(trays[0]!.menu)).toEqual(['Show Roost', '', 'Quit'])
  expect(labels(menu)).toEqual(['File', 'Edit', 'View'])
  expect(labels(menu[1]!.submenu)).toEqual(['undo', 'redo', '', 'cut', 'copy', 'paste', 'selectAll'])
})
