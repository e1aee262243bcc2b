import { expect } from '@playwright/test'
import { consoleTest as it, violations } from '../support/console-page-test.ts'

it('a destructive call asks on any page, with everything it would do, and runs once on a yes', async ({
  server,
  page,
  open,
}) => {
  await open('/conversations')
  server.access.askConsent()
  const ask = page.getByRole('article', { name: 'Consent for erase_recordings@1' })
  await expect(ask).toContainText(/Virtual board.? wants to run erase_recordings@1/)
  await expect(ask).toContainText('older_than_days')
  await expect(ask).toContainText('"/recordings"')
  await expect(ask).toContainText(/\d+ s left/)
  await expect(
    page.locator('[aria-live=assertive]').filter({ hasText: 'wants to run erase_recordings@1' }),
  ).toBeAttached()
  expect(await violations(page)).toEqual([])
  await ask.getByRole('button', { name: 'Allow once' }).click()
  await expect(ask).toBeHidden()
  expect(server.access.consents()[0]).toMatchObject({ state: 'used', answeredBy: 'owner' })

  await page.goto(`${server.url}/server`)
  server.access.askConsent()
  await page.getByRole('button', { name: 'Refuse' }).press('Enter')
  await expect(page.getByText('The call was refused.')).toBeVisible()
  expect(server.access.consents()[1]?.state).toBe('refused')
})

it('a call that nobody answered in time is not offered any more', async ({ server, page, open }) => {
  await open('/fleet')
  server.access.askConsent(6_000)
  await expect(page.getByRole('button', { name: 'Allow once' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Allow once' })).toBeHidden({ timeout: 30_000 })
})

it('a class may call only what is listed, in the version that is pinned', async ({ server, page, open }) => {
  await open('/toolbox/access')
  await page
    .getByRole('button', { name: /Robotics club/ })
    .first()
    .click()
  const card = page.getByRole('region', { name: 'Robotics club' })
  await expect(card.getByText('11 of 11 tools allowed')).toBeVisible()
  await card.getByRole('radio', { name: /Only chosen tools/ }).check()
  await expect(card.getByText('Nothing is chosen, so nothing may be called.')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await card.getByLabel('Filter tools').fill('lamp')
  await card.getByLabel('All 1 shown').check()
  await card.getByLabel('Version of set_lamp').selectOption('2')

  // What was not saved is asked about before it would be gone.
  await page.getByRole('link', { name: 'Connections' }).click()
  await expect(page.getByRole('dialog')).toContainText('Leave without saving?')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await card.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText('1 of 11 tools allowed')).toBeVisible()
  expect(server.access.policies().find((one) => one.id === 'c2')).toMatchObject({
    mode: 'listed',
    allowed: ['set_lamp'],
    pins: { set_lamp: 2 },
  })
})

it('starting one class ends the other that shares a board; a class is made with its boards', async ({ page, open }) => {
  await open('/toolbox/access')
  await page.getByRole('switch', { name: 'Robotics club is active' }).press('Enter')
  await expect(page.getByRole('switch', { name: 'Robotics club is active' })).toBeChecked()
  await expect(page.getByRole('switch', { name: '3B 科学课 is active' })).not.toBeChecked()

  await page.getByRole('button', { name: 'New class' }).click()
  const dialog = page.getByRole('dialog', { name: 'New class' })
  await dialog.getByLabel('Name').fill('4A 物理')
  await dialog.getByLabel('Filter: Boards of the class').fill('Board 0')
  await dialog.getByLabel(/All \d+ shown/).check()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save class' }).click()
  await expect(page.getByRole('button', { name: /4A 物理.*2 boards/ })).toBeVisible()
})

it('a changed description is shown beside the old one and needs a new yes', async ({ server, page, open }) => {
  await open('/toolbox/connections')
  const files = page.getByRole('article', { name: 'files' })
  await expect(files).toContainText('2 tools wait for your yes.')
  await expect(files).toContainText('Reads one file.')
  await expect(files).toContainText('Reads one file and sends its text.')
  await files.getByRole('button', { name: 'Agree to read' }).click()
  await expect(files).toContainText('1 tool waits for your yes.')
  expect(server.access.servers().find((one) => one.id === 'files')?.tools[1]?.consent).toBe('given')
})

it('a server is added with a secret that is never shown again', async ({ server, page, open }) => {
  await open('/toolbox/connections')
  await page.getByRole('button', { name: 'Add server' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add server' })
  await dialog.getByRole('button', { name: 'Save and connect' }).click()
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Name', { exact: true }).fill('notes')
  await dialog.getByLabel('Command').fill('npx')
  await dialog.getByLabel('Arguments, one a line').fill('-y\nnotes-server')
  await dialog.getByRole('button', { name: 'Add one' }).click()
  await dialog.getByLabel('Name 1').fill('NOTES_KEY')
  await dialog.getByLabel('Value of NOTES_KEY').fill('s3cret-value')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save and connect' }).click()
  const card = page.getByRole('article', { name: 'notes' })
  await expect(card.getByText('npx', { exact: true })).toBeVisible()
  await expect(card.getByText('notes-server', { exact: true })).toBeVisible()
  await expect(card).toContainText('NOTES_KEY = ••••••')
  await expect(page.getByText('s3cret-value')).toHaveCount(0)
  expect(server.access.servers().at(-1)?.name).toBe('notes')
})

it('a token is shown once with ready-made settings, limited, and revoked', async ({ server, page, open }) => {
  await open('/toolbox/connections')
  await page.getByRole('button', { name: 'Make a token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Program').fill('My editor')
  await expect(dialog.getByText('No tool is chosen: it may call nothing.')).toBeVisible()
  await dialog.getByLabel('Filter: Tools it may call').fill('lamp')
  await dialog.getByRole('checkbox', { name: /set_lamp/ }).check()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Make token' }).click()
  await expect(dialog).toContainText('It is shown only this once.')
  await expect(dialog.getByText('rst_4fN0zY7u1kQm9hVxP2aTbW6cJd8eLgRs', { exact: true })).toBeVisible()
  await dialog.getByRole('tab', { name: 'Editor' }).click()
  await expect(dialog.getByRole('tabpanel')).toContainText('Bearer rst_4fN0zY7u1kQm9hVxP2aTbW6cJd8eLgRs')
  await dialog.getByRole('button', { name: 'Copy token' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('rst_4fN0zY7u1kQm9hVxP2aTbW6cJd8eLgRs')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByText('rst_4fN0')).toHaveCount(0)

  await page.getByRole('button', { name: 'Revoke My editor' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByRole('row', { name: /My editor/ })).toContainText('revoked')
  expect(server.access.clients()[0]).toMatchObject({ name: 'My editor', allowed: ['set_lamp'], readOnly: true })
})

it.describe('when much has gone wrong', () => {
  it.use({ world: 'failed' })

  it('a server that fails says why, when the next try is, and can be restarted', async ({ page, open }) => {
    await open('/toolbox/connections')
    const files = page.getByRole('article', { name: 'files' })
    await expect(files).toContainText('The MCP server ended')
    await expect(files).toContainText(/next try in \d+ s/)
    await expect(files).toContainText('restarted 4×')
    await files.getByText('Last lines of its log').click()
    await expect(files).toContainText('ENOENT')
    expect(await violations(page)).toEqual([])
    await files.getByRole('button', { name: 'Restart' }).click()
    await expect(files).toContainText('ready')
  })
})

it.describe('with nothing yet', () => {
  it.use({ world: 'empty' })

  it('each list says what it is for and how to begin', async ({ page, open }) => {
    await open('/toolbox/connections')
    await expect(page.getByText('No MCP server is connected')).toBeVisible()
    await expect(page.getByText('No program has access')).toBeVisible()
    await open('/toolbox/access')
    await expect(page.getByText('No class yet.')).toBeVisible()
    expect(await violations(page)).toEqual([])
  })
})
