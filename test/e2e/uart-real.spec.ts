import { readFile } from 'node:fs/promises'
import { expect, test } from '@playwright/test'
import { createVirtualBoard } from '../../electron/virtual/board/virtual-board.ts'
import { type BundledServer, owner, startBundledServer } from '../support/bundled-server.ts'

// The bench before the built server: a virtual microcontroller on a PTY, a virtual board that is spoken to.

let server: BundledServer
let stopBoard: () => unknown
test.beforeAll(async () => {
  server = await startBundledServer(['--enrol', 'open'])
  const ca = await readFile(server.caPath, 'utf8')
  const board = createVirtualBoard({ server: { url: server.https, ca }, deviceId: 'desk', telemetrySeconds: 0 })
  stopBoard = () => board.stop()
  await board.online
})
test.afterAll(async () => {
  await stopBoard()
  await server.close()
})

test('a microcontroller is bridged, called by voice, watched, broken, scripted, recorded and played again', async ({
  page,
}) => {
  await page.goto(`${server.loopback}/uart`)
  await page.getByLabel('Name').fill(owner.name)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Open a port or a virtual one' }).click()
  await page.getByLabel('Heard through').selectOption('desk')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByText('both sides seen')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('button', { name: /ACTemperature/ })).toBeVisible()

  // A turn's call and its answer lead back to the turn.
  await server.rpc.talk.type({ deviceId: 'desk', text: '打开空调' })
  const grid = page.getByRole('grid', { name: 'Lines on the wire' })
  await page.getByRole('searchbox', { name: 'Filter lines' }).fill('ACSwitch call')
  await expect(grid.getByRole('row').filter({ hasText: 'enabled' })).toBeVisible({ timeout: 20_000 })
  await grid.getByRole('row').filter({ hasText: 'enabled' }).click()
  const turnLink = page.getByRole('link', { name: 'Open its turn' })
  await expect(turnLink).toHaveAttribute('href', /\/conversations\/.+/)
  await page.getByRole('button', { name: 'Close', exact: true }).click()

  // A recording, a line by hand, a call by form.
  await page.getByRole('searchbox', { name: 'Filter lines' }).fill('')
  await page.getByRole('tab', { name: 'Record' }).click()
  await page.getByRole('button', { name: 'Start recording' }).click()
  await expect(page.getByRole('button', { name: 'Stop recording' })).toBeVisible()
  await page.getByRole('tab', { name: 'Send' }).click()
  await page.getByRole('button', { name: /ACSwitch/ }).click()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await expect(page.getByText(/^status “/)).toBeVisible()
  await page.getByRole('tab', { name: 'Record' }).click()
  await page.getByRole('button', { name: 'Stop recording' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download recording' }).click()
  const path = await (await download).path()
  const recorded = (await readFile(path, 'utf8')).trim().split('\n')
  const sent = recorded.map((line) => (JSON.parse(line) as { raw: string }).raw)
  // The subtitle of the turn before may still cross the wire.
  expect(sent.map((raw) => Buffer.from(raw, 'base64').toString()).join('')).toMatch(/"ACSwitch".*\r\n/)
  const calls = () => grid.getByRole('row').filter({ hasText: 'ACSwitch' })
  const before = await calls().count()
  await page.getByLabel('Replay a recording').setInputFiles({
    name: 'lesson.jsonl',
    mimeType: 'text/plain',
    buffer: await readFile(path),
  })
  await expect.poll(() => calls().count()).toBeGreaterThan(before)

  // A script says what passed, and faults that are typed reach the line.
  const plan = async () => {
    for await (const event of await server.rpc.uart.watch({}))
      if (event.type === 'sessions') return event.sessions[0]?.faultPlan
    return undefined
  }
  await page.getByRole('tab', { name: 'Script' }).click()
  await page.getByRole('button', { name: 'Run script' }).click()
  await expect(page.getByText('1 of 1 passed')).toBeVisible({ timeout: 15_000 })
  await page.getByRole('tab', { name: 'Faults' }).click()
  await page.getByLabel('Drop every n-th line (0: none)').fill('1')
  await page.getByRole('button', { name: 'Apply faults' }).click()
  await expect.poll(async () => (await plan())?.dropEvery).toBe(1)
  await page.getByRole('button', { name: 'No faults' }).click()
  await expect.poll(async () => (await plan())?.dropEvery).toBe(0)
})

test('a microcontroller that breaks a rule is named with the rule and the byte', async ({ page }) => {
  const { port } = await server.rpc.uart.startVirtualMcu({})
  const session = await server.rpc.uart.open({ port, baud: 115_200, role: 'mcu' })
  await page.goto(`${server.loopback}/uart/${session.id}`)
  await page.getByLabel('Name').fill(owner.name)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('A line, exactly as given').fill('volume-check {"role":"MCU", "msgType":"status"}')
  await page.getByRole('button', { name: 'Send line' }).click()
  await page.getByRole('button', { name: 'Errors', exact: true }).click()
  const row = page.getByRole('grid', { name: 'Lines on the wire' }).getByRole('row').first()
  await row.click()
  await expect(page.getByText(/byte 27/).first()).toBeVisible()
})
