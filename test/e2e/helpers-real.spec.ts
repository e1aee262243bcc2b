import { readFile } from 'node:fs/promises'
import { expect, test } from '@playwright/test'
import { createVirtualBoard } from '../../electron/virtual/board/virtual-board.ts'
import { type BundledServer, owner, startBundledServer } from '../support/bundled-server.ts'

// Everyday helpers before the built server: what is set on the page is what a voice finds, and the other way round.

let server: BundledServer
let stopBoard: () => unknown
test.beforeAll(async () => {
  server = await startBundledServer(['--enrol', 'open'])
  const ca = await readFile(server.caPath, 'utf8')
  const board = createVirtualBoard({ server: { url: server.https, ca }, deviceId: 'kitchen', telemetrySeconds: 0 })
  stopBoard = () => board.stop()
  await board.online
})
test.afterAll(async () => {
  await stopBoard()
  await server.close()
})

test('alarms, lists and dates are one for the page and for the voice, and an announcement is heard', async ({
  page,
}) => {
  const say = (text: string) => server.rpc.talk.type({ deviceId: 'kitchen', text })
  await page.goto(`${server.loopback}/helpers`)
  await page.getByLabel('Name').fill(owner.name)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Minutes').fill('25')
  await page.getByLabel('Label').fill('Pizza')
  await page.getByRole('button', { name: 'Start timer' }).click()
  await expect(page.getByRole('article', { name: 'Pizza' })).toContainText(/2[45]:\d\d/)
  await say('set a timer for nine minutes')
  await expect(page.getByRole('article')).toHaveCount(2, { timeout: 20_000 })

  await page.getByRole('link', { name: 'Notes' }).click()
  await page.getByLabel('Name of a new list').fill('shopping')
  await page.getByRole('button', { name: 'New list' }).click()
  await expect(page.getByRole('article', { name: 'shopping' })).toBeVisible()
  await say('add milk to the shopping list')
  await expect(page.getByRole('checkbox', { name: /milk/ })).toBeVisible({ timeout: 20_000 })

  await page.getByRole('link', { name: 'Calendar' }).click()
  await page.getByRole('button', { name: 'New event' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('Dentist')
  await dialog.getByRole('button', { name: 'Save event' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('Dentist').first()).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export .ics' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toContain('SUMMARY:Dentist')

  await page.getByRole('link', { name: 'Announce' }).click()
  await page.getByRole('textbox', { name: 'What to say' }).fill('Lunch is ready')
  await page.getByRole('checkbox', { name: 'The one board online' }).check()
  await page.getByRole('button', { name: 'Say it' }).click()
  await expect(page.getByText(/^Saying it now on /)).toBeVisible()
})
