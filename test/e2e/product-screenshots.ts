import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { environment } from '../../electron/cli/environment.ts'
import { type BundledServer, owner, startBundledServer } from '../support/bundled-server.ts'
import { launchBrowser, type Look, visitorWith } from '../support/console-browser.ts'

// The pictures of the README: the built product with its own virtual boards. `node test/e2e/product-screenshots.ts`
const out = fileURLToPath(new URL('../../resources/screenshots/', import.meta.url))
mkdirSync(out, { recursive: true })

const looks: Record<string, Look> = {
  'light-en': { theme: 'light', language: 'en' },
  'dark-zh': { theme: 'dark', language: 'zh-CN' },
}

async function still(page: Page, name: string): Promise<void> {
  await page.locator('main h1').first().waitFor({ state: 'attached' })
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
  if (name.includes('telemetry')) await page.locator('canvas').first().waitFor()
  await page.waitForFunction(() => document.getAnimations().every((animation) => animation.playState !== 'running'))
  await page.screenshot({ path: `${out}${name}.png` })
}

async function signedIn(server: BundledServer, look: Look): Promise<Page> {
  const context = await visitorWith(browser, look)
  const page = await context.newPage()
  await page.goto(server.loopback)
  await page.locator('#name').fill(owner.name)
  await page.locator('input[type=password]').fill(owner.password)
  await page.locator('button[type=submit]').click()
  await page.locator('nav').first().waitFor()
  return page
}

/** The board that was tried, with a spoken and a typed turn. */
async function liveBoard(server: BundledServer): Promise<string> {
  const { jobId } = await server.rpc.flash.tryWithoutBoard()
  for await (const event of await server.rpc.jobs.watch()) {
    const jobs = event.type === 'snapshot' ? event.jobs : [event.job]
    const job = jobs.find(({ id, state }) => id === jobId && state !== 'running')
    if (job?.deviceId) return job.deviceId
    if (job) throw new Error(job.message ?? job.state)
  }
  throw new Error('the server ended')
}

async function turnOver(server: BundledServer, deviceId: string, begin: () => Promise<unknown>): Promise<void> {
  const begun = Date.now()
  const turns = await server.rpc.turns.watch({ deviceId })
  await begin()
  for await (const { turn } of turns) if (turn.startedAt >= begun && turn.status !== 'running') return
}

/** A small class of boards that talk now and then, so that the fleet has something to show. */
function startBoards(server: BundledServer) {
  const program = fileURLToPath(new URL('../../out/main/roost.js', import.meta.url))
  const args = [
    'board',
    '--server',
    server.https,
    '--ca',
    server.caPath,
    '--count',
    '6',
    '--id',
    // A board without a name is called by the last five characters of its id.
    'lab',
    '--telemetry',
    '2',
  ]
  const talk = ['--say', 'set the fan to fifty percent', '--turns', '40']
  return spawn(process.execPath, [program, ...args, ...talk], { stdio: 'ignore', env: environment() })
}

const browser = await launchBrowser()
const server = await startBundledServer(['--enrol', 'open'])
for (const [name, look] of Object.entries(looks)) {
  const page = await signedIn(server, look)
  await still(page, `fleet-empty-${name}`)
  await page.context().close()
}
const deviceId = await liveBoard(server)
const boards = startBoards(server)
await turnOver(server, deviceId, () => server.rpc.talk.speak({ deviceId, text: 'turn on the lamp' }))
await turnOver(server, deviceId, () => server.rpc.talk.type({ deviceId, text: '把灯打开' }))
await turnOver(server, deviceId, () => server.rpc.talk.speak({ deviceId, text: 'what is the temperature' }))
const device = `/devices/${encodeURIComponent(deviceId)}`
const screens = {
  fleet: '/fleet',
  flash: '/flash',
  'device-live': `${device}/live`,
  'device-tools': `${device}/tools`,
  'device-telemetry': `${device}/telemetry`,
  conversations: '/conversations',
  tools: '/toolbox',
  everyday: '/helpers/calendar',
  telemetry: '/trends?range=15m',
  server: '/server',
}
for (const [name, look] of Object.entries(looks)) {
  const page = await signedIn(server, look)
  for (const [screen, path] of Object.entries(screens)) {
    await page.goto(server.loopback + path)
    await still(page, `${screen}-${name}`)
  }
  await page.context().close()
}
boards.kill('SIGKILL')
await server.close()
await browser.close()
