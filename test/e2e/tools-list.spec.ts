import { expect } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { consoleTest as it, violations } from '../support/console-page-test.ts'

it('a thousand tools are listed, filtered and opened without drawing a thousand rows', async ({
  server,
  page,
  open,
}) => {
  server.tools.fill(1_000)
  await open('/toolbox')
  await expect(page.getByText('1,011 tools').or(page.getByText('1011 tools'))).toBeVisible()
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(2_500)

  // ux.md P7, best of several: other work on the machine is not the page's fault.
  const paint = await page.evaluate(async () => {
    const box = document.querySelector<HTMLInputElement>('#main [data-filter]')!
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now())))
    const times: number[] = []
    for (const text of ['d', 'do', 'doo', 'door', 'door ', 'door 9', 'door 92', 'door 9']) {
      await frame()
      const from = performance.now()
      box.value = text
      box.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await frame()
      times.push((await frame()) - from)
    }
    return Math.min(...times)
  })
  expect(paint).toBeLessThanOrEqual(50)
  await expect(page).toHaveURL(/q=door\+9/)

  await page.getByLabel('Filter by danger').selectOption('read')
  await expect(page.getByRole('status').filter({ hasText: / of 1,?011/ })).toBeVisible()
  await expect(page.getByRole('cell', { name: 'reads only' }).first()).toBeVisible()
  await expect(page.getByRole('cell', { name: 'moves something' })).toHaveCount(0)
})

it('the keyboard filters, walks and opens; the address brings the filter back', async ({ page, open }) => {
  await open('/toolbox')
  await page.keyboard.press('/')
  await expect(page.getByLabel('Filter tools')).toBeFocused()
  await page.keyboard.type('door')
  await expect(page).toHaveURL(/q=door/)
  await page.reload()
  await expect(page.getByLabel('Filter tools')).toHaveValue('door')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: 'open_door' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/toolbox\/tool\/open_door/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('open_door')
})

it('what nobody searched for says so, and one button brings all back', async ({ page, open }) => {
  await open('/toolbox?q=nothing-like-this')
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(page.getByRole('link', { name: 'set_lamp' })).toBeVisible()
})

it('a list that cannot be read says why, and Retry reads it', async ({ server, page, open }) => {
  server.tools.refuse(['catalog'], 'server-internal')
  await open('/toolbox')
  await expect(page.getByText('server-internal', { exact: true })).toBeVisible()
  expect(await violations(page)).toEqual([])
  server.tools.refuse([], 'server-internal')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('link', { name: 'set_lamp' })).toBeVisible()
})

it('tools are imported after a look, and exported as a file', async ({ server, page, open }) => {
  await open('/toolbox')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Import tools' })
  const list = {
    tools: [
      { name: 'water_plant', description: 'Waters it.', inputSchema: { type: 'object' } },
      { name: 'not a name' },
    ],
  }
  await dialog.getByLabel(/Paste JSON/).fill(JSON.stringify(list))
  await dialog.getByRole('button', { name: 'Read', exact: true }).click()
  await expect(dialog.getByText('2 found, 1 can be taken.')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Import 1 as draft' }).click()
  await expect(dialog).toBeHidden()
  expect(server.tools.draft('water_plant')?.content.description).toBe('Waters it.')

  await page.getByLabel('Choose set_lamp').check()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export 1' }).click(),
  ])
  expect(await readFile(await file.path(), 'utf8')).toContain('"set_lamp"')
})

it.describe('with no tool yet', () => {
  it.use({ world: 'empty' })

  it('a tool is made from the palette, with its name checked first', async ({ page, open }) => {
    await open('/fleet')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('new tool')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New tool' })
    await dialog.getByLabel('Name').fill('set lamp')
    await page.keyboard.press('Enter')
    await expect(dialog.getByText(/Only letters, digits/)).toBeVisible()
    expect(await violations(page)).toEqual([])
    await dialog.getByLabel('Name').fill('set_lamp')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/toolbox\/tool\/set_lamp/)
    await expect(page.getByText('first draft')).toBeVisible()
  })
})

it.describe('a turn that claimed what no call did', () => {
  it.use({ world: 'failed' })

  it('is marked in the list and says why', async ({ page, open }) => {
    await open('/conversations')
    await expect(page.getByText('said, not done').first()).toBeVisible()
    await expect(page.getByRole('article')).toContainText('The answer claimed an action that no tool carried out')
    expect(await violations(page)).toEqual([])
  })
})
