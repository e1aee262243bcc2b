import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { connectRpc } from '../../electron/server/rpc/rpc-client.ts'
import { readRunFile } from '../../electron/server/run-file.ts'
import { type DesktopApp, sourceTree, startDesktop } from './desktop-app.ts'
import { accountOf, callBridge } from './page-bridge.ts'

let desktop: DesktopApp | undefined
test.afterEach(async () => desktop?.stop())

async function startWithConsole(): Promise<{ app: DesktopApp; page: Page }> {
  const app = await startDesktop()
  desktop = app
  const page = await app.page()
  await page.locator('main h1').waitFor({ timeout: 60_000 })
  return { app, page }
}

const servers = async (app: DesktopApp) =>
  (await app.desk()).children.filter(({ serviceName }) => serviceName === 'roost server')

async function tryWithoutBoard({ dataDir }: DesktopApp): Promise<{ jobId: string }> {
  const run = readRunFile(dataDir)!
  const rpc = await connectRpc({ url: run.loopback, token: run.secret })
  const started = await rpc.client.flash.tryWithoutBoard()
  rpc.close()
  return started
}

test('the server and its helpers are utility processes that talk through ports', async () => {
  const { app } = await startWithConsole()
  await tryWithoutBoard(app)
  const run = readRunFile(app.dataDir)!
  const rpc = await connectRpc({ url: run.loopback, token: run.secret })
  const jobs = async () => {
    for await (const event of await rpc.client.jobs.watch()) if (event.type === 'snapshot') return event.jobs
    return []
  }
  // A virtual chip was flashed by the flasher, booted, and its board held a session: all over relayed ports.
  await expect.poll(async () => (await jobs())[0]?.state, { timeout: 60_000 }).toBe('done')
  rpc.close()
  const { children } = await app.desk()
  expect(children.map(({ serviceName }) => serviceName).sort()).toEqual(
    ['roost asr', 'roost chip', 'roost flasher', 'roost server', 'roost tts', 'roost vad'].sort(),
  )
  expect(children.filter(({ exit }) => exit !== null)).toEqual([])
})

test('Quit in the menu ends server, window and app in order, with code 0 and nothing left', async () => {
  const { app } = await startWithConsole()
  await app.order('clickMenu', 'Quit')
  expect(await app.exit).toBe(0)
  await expect.poll(() => app.processes()).toEqual([])
  expect(readRunFile(app.dataDir)).toBeUndefined()
  expect(app.output()).not.toMatch(/"level":"(error|fatal)"|uncaught/)
})

test('Quit during a job names it, stays when told to, and goes when told to', async () => {
  const { app } = await startWithConsole()
  await tryWithoutBoard(app)
  const chip = async () => (await app.desk()).children.find(({ serviceName }) => serviceName === 'roost chip')?.pid
  await expect.poll(chip, { timeout: 30_000 }).toBeGreaterThan(0)
  // A chip that stands still keeps the job running for as long as this takes.
  process.kill((await chip())!, 'SIGSTOP')
  const openDialog = async () => (await app.desk()).dialogs.find(({ open }) => open)?.options

  await app.order('clickTray', 'Quit')
  await expect.poll(openDialog).toMatchObject({
    type: 'question',
    detail: expect.stringContaining('Try without a board'),
    buttons: ['Keep running', 'Quit anyway'],
    cancelId: 0,
  })
  await app.order('clickTray', 'Quit')
  expect((await app.desk()).dialogs).toHaveLength(1)
  await app.order('answerDialog', { response: 0 })
  expect((await app.desk()).quitting).toBe(false)
  expect((await servers(app)).map(({ exit }) => exit)).toEqual([null])

  await app.order('clickTray', 'Quit')
  await expect.poll(async () => (await app.desk()).dialogs.length).toBe(2)
  await app.order('answerDialog', { response: 1 })
  expect(await app.exit).toBe(0)
  await expect.poll(() => app.processes()).toEqual([])
})

test('a server that dies is started again, later each time, and the same window is signed in anew', async () => {
  const { app, page } = await startWithConsole()
  const first = new URL(page.url()).origin
  const [before] = await servers(app)
  process.kill(before!.pid!, 'SIGKILL')
  await expect.poll(async () => (await servers(app)).length, { timeout: 30_000 }).toBe(2)
  await expect.poll(() => new URL(page.url()).origin, { timeout: 60_000 }).not.toBe(first)
  await page.locator('main h1').waitFor({ timeout: 60_000 })
  expect(await accountOf(page)).toEqual({ name: 'desktop', role: 'owner' })
  expect(await callBridge(page, 'app.info')).toMatchObject({ version: '0.1.0' })
  expect((await app.desk()).windows).toHaveLength(1)

  const [, second] = await servers(app)
  process.kill(second!.pid!, 'SIGKILL')
  await expect.poll(async () => (await servers(app)).length, { timeout: 30_000 }).toBe(3)
  const waits = [...app.output().matchAll(/"restartInMs":(\d+)/g)].map((found) => Number(found[1]))
  expect(waits).toEqual([500, 1000])
  const { children } = await app.desk()
  const oldHelpers = children.slice(
    0,
    children.findIndex(({ pid }) => pid === second!.pid),
  )
  await expect.poll(async () => (await app.desk()).children.slice(0, oldHelpers.length).every(isEnded)).toBe(true)
})

const isEnded = ({ exit }: { exit: number | null }) => exit !== null

test('a server that cannot start says why, with its code, and the app ends', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const port = (taken.address() as AddressInfo).port
  const app = await startDesktop({ args: ['--port', '0', '--loopback-port', String(port)] })
  desktop = app
  const boxes: unknown[] = []
  app.onDialog((row) => boxes.push(row))
  expect(await app.exit).toBe(0)
  expect(boxes).toEqual([
    {
      kind: 'error',
      open: false,
      options: {
        title: 'The server could not start',
        content: expect.stringMatching(/\(server-port-taken\)$/),
      },
    },
  ])
  await expect.poll(() => app.processes()).toEqual([])
  taken.close()
})

test('a server that dies at every start is given up, and the app says so', async () => {
  const appDir = mkdtempSync(join(tmpdir(), 'roost-broken-'))
  cpSync(join(sourceTree, 'out', 'main'), join(appDir, 'out', 'main'), { recursive: true })
  for (const name of ['package.json', 'node_modules', 'resources']) {
    symlinkSync(join(sourceTree, name), join(appDir, name))
  }
  writeFileSync(join(appDir, 'out', 'main', 'server.js'), 'process.exit(7)')
  const app = await startDesktop({ appDir })
  desktop = app
  const boxes: unknown[] = []
  app.onDialog((row) => boxes.push(row))
  expect(await app.exit).toBe(0)
  expect(boxes).toMatchObject([{ kind: 'error', options: { content: expect.stringMatching(/\(server-internal\)$/) } }])
  await expect.poll(() => app.processes()).toEqual([])
  rmSync(appDir, { recursive: true })
})

test('a second start ends at once and starts no server', async () => {
  const app = await startDesktop({ args: ['--standin-second'] })
  desktop = app
  expect(await app.exit).toBe(0)
  expect(readRunFile(app.dataDir)).toBeUndefined()
  await expect.poll(() => app.processes()).toEqual([])
})
