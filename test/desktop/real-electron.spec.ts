import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, expect, test } from '@playwright/test'
import { sourceTree } from './desktop-app.ts'

// The only test that runs Electron itself. Importing the package would start a download, so its files are looked at.
const folder = join(sourceTree, 'node_modules', 'electron')
const said = existsSync(join(folder, 'path.txt')) ? readFileSync(join(folder, 'path.txt'), 'utf8').trim() : undefined
const program = said === undefined ? undefined : join(folder, 'dist', said)
const hasDisplay = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])

function whyNot(): string | undefined {
  if (program === undefined || !existsSync(program)) {
    return 'no Electron binary in node_modules/electron/dist; `npm start -- --electron` fetches it, with access to GitHub'
  }
  return hasDisplay ? undefined : 'an Electron binary is here, but no display (DISPLAY, WAYLAND_DISPLAY)'
}

const reason = whyNot()

test('real Electron shows the console, signed in, and quits with code 0', async () => {
  if (reason !== undefined) process.stderr.write(`SKIPPED, nothing here ran in Electron: ${reason}\n`)
  test.skip(reason !== undefined, reason)
  const dataDir = mkdtempSync(join(tmpdir(), 'roost-electron-'))
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const args = [...root, sourceTree, '--data', dataDir, '--port', '0', '--loopback-port', '0']
  const app = await _electron.launch({ executablePath: program ?? '', args })
  const page = await app.firstWindow()
  await page.locator('main h1').waitFor({ timeout: 60_000 })
  const state = await page.evaluate(async () => (await fetch('/auth/state')).json() as Promise<{ account: unknown }>)
  expect(state.account).toEqual({ name: 'desktop', role: 'owner' })
  const ended = new Promise((resolve) => app.process().once('exit', resolve))
  await app.evaluate(({ app: electron }) => electron.quit()).catch(() => undefined)
  expect(await ended).toBe(0)
  rmSync(dataDir, { recursive: true, force: true })
})
