import { expect } from '@playwright/test'
import { consoleTest as test, violations } from '../support/console-page-test.ts'

test.describe('without a port', () => {
  test.use({ world: 'empty' })

  test('a virtual microcontroller is started and shown', async ({ page, open }) => {
    await open('/uart')
    await page.getByRole('button', { name: 'Open a port or a virtual one' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('Port', { exact: true })).toHaveValue('virtual')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Open', exact: true }).click()
    await expect(page.getByRole('region', { name: '/dev/pts/7' })).toContainText('Bridge')
  })

  test('a port that may not be opened keeps the form and says why', async ({ page, open }) => {
    await open('/uart')
    await page.getByRole('button', { name: 'Open a port or a virtual one' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Port', { exact: true }).selectOption('path')
    await dialog.getByLabel('Path of the port').fill('/dev/none')
    await dialog.getByRole('button', { name: 'Open', exact: true }).click()
    await expect(dialog.getByText('uart-no-permission')).toBeVisible()
    await expect(dialog.getByLabel('Path of the port')).toHaveValue('/dev/none')
  })
})

test('a broken line is found, its byte is marked, and its bytes are one press away', async ({ page, open }) => {
  await open('/uart')
  await page.getByRole('button', { name: 'Errors' }).click()
  const grid = page.getByRole('grid', { name: 'Lines on the wire' })
  await expect(grid.getByRole('row').first()).toContainText('mcp-responsive')
  await grid.getByRole('row').first().click()
  const detail = page.getByRole('region', { name: /^Line \d+/ })
  await expect(detail.locator('mark')).toHaveText(' ')
  await expect(detail.getByText(/byte 29/)).toBeVisible()
  await expect(detail.getByRole('group', { name: 'Bytes as hex and ASCII' })).toContainText('0D 0A')
  expect(await violations(page)).toEqual([])
})

test('scrolling up stands still and counts what is new; End goes on', async ({ page, open, server }) => {
  await open('/uart')
  const grid = page.getByRole('grid', { name: 'Lines on the wire' })
  await grid.focus()
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  const before = await grid.evaluate((node) => node.scrollTop)
  server.uart.flow(30)
  await expect(page.getByRole('button', { name: '30 new lines' })).toBeVisible()
  expect(await grid.evaluate((node) => node.scrollTop)).toBe(before)
  await grid.focus()
  await page.keyboard.press('End')
  await expect(page.getByRole('button', { name: /new lines/ })).toBeHidden()
})

test('a call links to its turn, a line can be sent, a tool called by form', async ({ page, open, server }) => {
  await open('/uart')
  await page.getByLabel('A line, exactly as given').fill('{"role":"AI board","msgType":"status","status":"3.Sleep"}')
  await page.getByRole('button', { name: 'Send line' }).click()
  await expect.poll(() => server.uart.sent()).toEqual(['{"role":"AI board","msgType":"status","status":"3.Sleep"}\r\n'])
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'status “true”' })).toBeVisible()
  await expect(page.getByRole('button', { name: /SetVolume/ })).toBeDisabled()

  await page.getByRole('grid', { name: 'Lines on the wire' }).focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'Open its turn' })).toHaveAttribute('href', '/conversations/turn-1')
})

test('faults are set, a recording is kept, and a script says what passed', async ({ page, open }) => {
  await open('/uart')
  await page.getByRole('tab', { name: 'Faults' }).click()
  await page.getByLabel('Drop every n-th line (0: none)').fill('3')
  await page.getByRole('button', { name: 'Apply faults' }).click()
  await page.getByRole('tab', { name: 'Record' }).click()
  await page.getByRole('button', { name: 'Start recording' }).click()
  await expect(page.getByRole('button', { name: 'Stop recording' })).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download recording' }).click()
  expect((await download).suggestedFilename()).toBe('uart-uart-1.jsonl')
  await page.getByRole('tab', { name: 'Script' }).click()
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await page.getByRole('button', { name: 'Run script' }).click()
  await expect(page.getByText('1 of 2 passed')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.reload()
  await page.getByRole('tab', { name: 'Script' }).click()
  await expect(page.getByRole('group', { name: 'Step 2' })).toBeVisible()
})

test.describe('when the line is silent', () => {
  test.use({ world: 'failed' })

  test('the port says what is wrong with it', async ({ page, open }) => {
    await open('/uart')
    await expect(page.getByText('Nothing comes from the other side')).toBeVisible()
    await expect(page.getByText('uart-unplugged')).toBeVisible()
    expect(await violations(page)).toEqual([])
  })
})
