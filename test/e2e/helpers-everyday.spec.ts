import { expect } from '@playwright/test'
import { consoleTest as test, violations } from '../support/console-page-test.ts'

test('an alarm that rings is snoozed, and a new timer counts down', async ({ page, open, server }) => {
  await open('/helpers')
  const ringing = page.getByRole('article', { name: '浇花' })
  await ringing.getByRole('button', { name: 'Snooze 5 min' }).click()
  await expect(ringing).toContainText('snoozed')
  await expect(ringing).toContainText(/4:5\d|5:00/)

  await page.getByLabel('Minutes').fill('25')
  await page.getByLabel('Label').fill('Pizza')
  await page.getByRole('button', { name: 'Start timer' }).click()
  await expect(page.getByRole('article', { name: 'Pizza' })).toContainText(/2[45]:\d\d/)
  const made = server.helpers.alarms().find(({ label }) => label === 'Pizza')
  expect(made).toMatchObject({ kind: 'timer', wall: null })

  await page.getByRole('button', { name: 'Alarm', exact: true }).click()
  await page.getByLabel('Time', { exact: true }).fill('06:45')
  await page.getByRole('checkbox', { name: 'Monday' }).check()
  await page.getByRole('button', { name: 'Set alarm' }).click()
  await expect.poll(() => server.helpers.alarms().at(-1)?.wall).toMatchObject({ time: '06:45', on: [1] })
})

test('a list is ticked, grown, ordered by keys and deleted after a question', async ({ page, open, server }) => {
  await open('/helpers/notes')
  const list = page.getByRole('article', { name: 'Shopping' })
  await list.getByRole('checkbox', { name: 'Milk' }).check()
  await list.getByLabel('Add to Shopping').fill('面包')
  await page.keyboard.press('Enter')
  await expect(list.getByRole('checkbox', { name: '面包' })).toBeVisible()
  await list.getByRole('checkbox', { name: '苹果' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect
    .poll(() => server.helpers.lists()[0]?.items.map(({ text, done }) => `${text}${done ? ' ✓' : ''}`))
    .toEqual(['苹果', 'Milk ✓', 'Batteries AA ✓', '面包'])
  await list.getByRole('button', { name: 'Delete list Shopping' }).click()
  await expect(page.getByRole('dialog')).toContainText('4 items are deleted with it')
  expect(await violations(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Delete list' }).click()
  await expect(list).toBeHidden()
})

test('an event is made on a day that the keys chose, and files come and go', async ({ page, open, server }) => {
  await open('/helpers/calendar')
  await page.getByRole('gridcell', { selected: true }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('班会')
  await dialog.getByLabel('Repeat').selectOption({ label: 'Every week' })
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save event' }).click()
  await expect(dialog).toBeHidden()
  expect(server.helpers.events().at(-1)).toMatchObject({ title: '班会', repeat: 'FREQ=WEEKLY', remindMinutes: null })

  await page.getByLabel('Import .ics').setInputFiles({
    name: 'term.ics',
    mimeType: 'text/calendar',
    buffer: Buffer.from('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'),
  })
  await expect(page.getByText('1 events imported, 1 skipped')).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export .ics' }).click()
  expect((await download).suggestedFilename()).toBe('roost.ics')
})

test('an announcement says whom it reached', async ({ page, open }) => {
  await open('/helpers/announce')
  await page.getByRole('textbox', { name: 'What to say' }).fill('Lunch is ready')
  await expect(page.getByRole('button', { name: 'Say it' })).toBeDisabled()
  await page.getByRole('checkbox', { name: /Ada/ }).check()
  await page.getByRole('checkbox', { name: /Virtual board/ }).check()
  await page.getByRole('button', { name: 'Say it' }).click()
  await expect(page.getByText('Saying it now on Ada')).toBeVisible()
  await expect(page.getByText('Not on Virtual board: it is offline')).toBeVisible()
})

test('a folder that is not there keeps the words and says why', async ({ page, open }) => {
  await open('/helpers/music')
  await expect(page.getByText('214 tracks found')).toBeVisible()
  await page.getByLabel('Path of the folder').fill('/nowhere')
  await page.getByRole('button', { name: 'Use folder' }).click()
  await expect(page.getByText('server-not-found')).toBeVisible()
  await expect(page.getByLabel('Path of the folder')).toHaveValue('/nowhere')
})

test.describe('when the store fails', () => {
  test.use({ world: 'failed' })

  test('each part says so and keeps what was typed', async ({ page, open }) => {
    await open('/helpers')
    await page.getByLabel('Label').fill('Tea')
    await page.getByRole('button', { name: 'Start timer' }).click()
    await expect(page.getByText('server-internal')).toBeVisible()
    await expect(page.getByLabel('Label')).toHaveValue('Tea')
    await open('/helpers/notes')
    await expect(page.getByText('server-internal').first()).toBeVisible()
    expect(await violations(page)).toEqual([])
  })
})
