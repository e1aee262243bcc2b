import { expect, type Page } from '@playwright/test'
import { consoleTest as it, violations } from '../support/console-page-test.ts'

const json = (page: Page) => page.getByRole('textbox', { name: 'JSON schema' })
const schemaOf = async (page: Page) => JSON.parse(await json(page).inputValue()) as Record<string, unknown>
const saved = (page: Page) => expect(page.getByRole('status').filter({ hasText: 'Draft saved' })).toBeVisible()

it('a parameter is drawn, limited, moved and undone with the keyboard alone', async ({ page, open }) => {
  await open('/toolbox/tool/read_temperature')
  await page.getByRole('button', { name: 'Add parameter' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: 'Whole number' })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Whole number' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Name of number')).toBeFocused()
  await page.keyboard.type('temperature')
  await page.keyboard.press('Enter')

  await page.getByRole('button', { name: 'Details of temperature' }).press('Enter')
  await page.getByLabel('At least').fill('16')
  await page.getByLabel('At most').fill('30')
  await page.getByLabel('Unit').fill('°C')
  await page.getByRole('button', { name: 'Details of temperature' }).press('Enter')
  await expect(page.getByText('16 – 30 · °C')).toBeVisible()

  await page.getByRole('button', { name: 'Add parameter' }).press('Enter')
  await page.getByRole('menuitem', { name: 'On or off' }).press('Enter')
  await page.getByRole('button', { name: 'Move on: arrow keys' }).press('ArrowUp')
  await expect(page.getByRole('status').filter({ hasText: 'on is now 1 of 2.' })).toBeAttached()
  await expect(page.getByRole('button', { name: 'Move on: arrow keys' })).toBeFocused()
  expect(Object.keys((await schemaOf(page)).properties as object)).toEqual(['on', 'temperature'])

  await page.keyboard.press('Control+z')
  expect(Object.keys((await schemaOf(page)).properties as object)).toEqual(['temperature', 'on'])
  await page.keyboard.press('Control+Shift+z')
  expect(Object.keys((await schemaOf(page)).properties as object)).toEqual(['on', 'temperature'])
  await saved(page)
  expect(await violations(page)).toEqual([])
})

it('form and JSON stay in step, broken JSON loses nothing, and unknown parts are edited in place', async ({
  page,
  open,
}) => {
  await open('/toolbox/tool/set_lamp')
  const before = await schemaOf(page)
  await json(page).fill('{"type": "object", "prop')
  await expect(page.getByText('This is not a JSON object yet.')).toBeVisible()
  await expect(page.getByLabel('Name of brightness')).toHaveValue('brightness')
  expect(await violations(page)).toEqual([])

  const next = { ...before, 'x-vendor': { keep: [1, null] }, dependentRequired: { zone: ['on'] } }
  await json(page).fill(JSON.stringify(next))
  await expect(page.getByLabel('x-vendor', { exact: true })).toHaveValue(/keep/)
  await page.getByLabel('dependentRequired', { exact: true }).fill('{"zone": ["brightness"]}')
  await page.getByLabel('Name of zone').fill('place')
  await page.keyboard.press('Enter')
  const after = await schemaOf(page)
  expect(after).toMatchObject({ 'x-vendor': { keep: [1, null] }, dependentRequired: { zone: ['brightness'] } })
  expect(Object.keys(after.properties as object)).toEqual(['on', 'brightness', 'place', 'color', 'then'])
  // What people call the values of the renamed parameter went with it.
  await expect(page.getByLabel('Names of place = desk in Chinese')).toHaveValue('书桌')

  await page.getByRole('button', { name: 'Details of color' }).click()
  await expect(page.getByText('Exactly one of these')).toBeVisible()
  await page.getByRole('button', { name: 'Details of step' }).click()
  await expect(page.getByLabel('patternProperties', { exact: true })).toHaveValue(/x-/)
  expect(await violations(page)).toEqual([])
})

it('a parameter is moved by dragging too', async ({ page, open }) => {
  await open('/toolbox/tool/set_lamp')
  await page
    .getByRole('button', { name: 'Move zone: arrow keys' })
    .dragTo(page.getByLabel('Name of on'), { targetPosition: { x: 20, y: 2 } })
  await expect.poll(async () => Object.keys((await schemaOf(page)).properties as object)[0]).toBe('zone')
})

it('a draft outlives reload, Back, a failing server and a closed tab', async ({ server, page, open }) => {
  await open('/toolbox/tool/set_lamp')
  expect(server.tools.draft('set_lamp')).toBeUndefined()
  const text = page.getByLabel('Description for the model')
  await text.fill('Saved by itself.')
  await saved(page)
  expect(server.tools.draft('set_lamp')?.content.description).toBe('Saved by itself.')

  server.tools.refuse(['saveDraft'], 'server-internal')
  await text.fill('Typed while the server failed.')
  await expect(page.getByText('Your text is kept in this browser')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.reload()
  await expect(text).toHaveValue('Typed while the server failed.')
  await expect(page.getByText('Unsaved text of an earlier visit was brought back.')).toBeVisible()

  const tab = await page.context().newPage()
  await page.close()
  await tab.goto(`${server.url}/toolbox/tool/set_lamp`)
  await expect(tab.getByLabel('Description for the model')).toHaveValue('Typed while the server failed.')
  await expect(tab.getByText('Your text is kept in this browser')).toBeVisible()
  server.tools.refuse([], 'server-internal')
  await tab.getByRole('button', { name: 'Retry' }).click()
  await saved(tab)
  expect(server.tools.draft('set_lamp')?.content.description).toBe('Typed while the server failed.')
})

it('nothing is saved before the tool was loaded', async ({ server, page, open }) => {
  server.tools.refuse(['detail'], 'server-internal')
  await open('/toolbox/tool/set_lamp')
  await expect(page.getByLabel('Description for the model')).toHaveCount(0)
  await page.keyboard.press('Control+s')
  server.tools.refuse([], 'server-internal')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByLabel('Description for the model')).toHaveValue(/Turn the lamp/)
  expect(server.tools.asked('saveDraft')).toBe(0)
})

it('a draft that another page saved is not overwritten', async ({ server, page, open }) => {
  await open('/toolbox/tool/set_lamp')
  const text = page.getByLabel('Description for the model')
  await text.fill('one')
  await saved(page)
  server.tools.saveElsewhere('set_lamp', { description: 'from the other page' })
  await text.fill('two')
  await expect(page.getByText('You changed this draft on another page.')).toBeVisible()
  expect(server.tools.draft('set_lamp')?.content.description).toBe('from the other page')
  await page.getByRole('button', { name: 'Keep this text' }).click()
  await saved(page)
  expect(server.tools.draft('set_lamp')?.content.description).toBe('two')
})

it('publishing names what breaks, goes to canary boards first, and is rolled back as a new version', async ({
  server,
  page,
  open,
}) => {
  await open('/toolbox/tool/set_lamp')
  await page.getByRole('checkbox', { name: 'required' }).nth(1).check()
  await saved(page)
  await page.getByRole('button', { name: 'Publish v4' }).click()
  const dialog = page.getByRole('dialog', { name: 'Publish set_lamp@4' })
  await expect(dialog.getByText('breaking')).toBeVisible()
  await expect(dialog.getByText('2 of 2 passed')).toBeVisible()
  await dialog.getByLabel('Note').fill('brightness must be said')
  await dialog.getByLabel('Try it on some boards first').check()
  await expect(dialog.getByRole('button', { name: 'Publish v4' })).toBeDisabled()
  await dialog.getByLabel('Filter: Boards on trial').fill('Virtual')
  await dialog.getByRole('checkbox', { name: /Virtual board/ }).check()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Publish v4' }).click()
  await expect(page.getByText('on trial on 1 board')).toBeVisible()
  expect(server.tools.newest('set_lamp')?.version).toBe(4)

  await page.getByRole('link', { name: /^Versions/ }).click()
  await expect(page.getByText('brightness must be said')).toBeVisible()
  await page.getByRole('button', { name: 'Give to everybody' }).click()
  await expect(page.getByText('on trial on 1 board')).toBeHidden()
  await page.getByRole('button', { name: 'Compare with v3' }).click()
  await expect(page.getByRole('heading', { name: 'v3 to v4' })).toBeVisible()
  await page.getByRole('button', { name: 'Roll back to v3' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back to v3' }).click()
  await expect(page.getByText('v3 is back as v5.')).toBeVisible()
  await expect(page.getByText('v5', { exact: true })).toBeVisible()
})

it('two who publish see three texts side by side, and neither is lost', async ({ server, page, open }) => {
  await open('/toolbox/tool/set_lamp')
  await page.getByLabel('Description for the model').fill('My description.')
  await saved(page)
  server.tools.publishElsewhere('set_lamp', { description: 'Their description.', danger: 'physical' })
  await expect(page.getByText('ada published v4 meanwhile.')).toBeVisible()
  await page.getByRole('button', { name: 'Compare and merge' }).click()
  const dialog = page.getByRole('dialog', { name: 'Merge with v4' })
  await expect(dialog.getByText('1 not decided yet')).toBeVisible()
  await expect(dialog.getByText('Turn the lamp on or off and set its brightness.')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('group', { name: 'Description' }).getByRole('radio', { name: /Yours/ }).check()
  await dialog.getByRole('button', { name: 'Use this merge' }).click()
  await expect(dialog).toBeHidden()
  expect(server.tools.draft('set_lamp')).toMatchObject({
    basedOn: 4,
    content: { description: 'My description.', danger: 'physical' },
  })
  await page.getByRole('button', { name: 'Publish v5' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish v5' }).click()
  await expect(page.getByText('v5 published')).toBeVisible()
})

it('a test call is run, kept as a case, found among the calls and run again', async ({ page, open }) => {
  await open('/toolbox/tool/set_lamp')
  const test = page.getByRole('region', { name: 'Test call' })
  await test.getByRole('spinbutton', { name: 'brightness' }).fill('140')
  await test.getByRole('spinbutton', { name: 'brightness' }).press('Control+Enter')
  await expect(test.getByText('Refused ·', { exact: false })).toBeVisible()
  await test.getByLabel('Name of this call as a case').fill('too bright')
  await test.getByRole('button', { name: 'Save case' }).click()
  await test.getByRole('button', { name: 'Run all' }).click()
  await expect(test.getByText('passed')).toHaveCount(3)

  await page.getByRole('link', { name: 'Calls' }).click()
  await expect(page.getByText('"brightness":140')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Run again' }).first().click()
  await expect(test.getByRole('spinbutton', { name: 'brightness' })).toHaveValue('140')
})

it('the matcher is asked, and a language switch keeps everything typed', async ({ page, open }) => {
  await open('/toolbox/tool/set_lamp')
  await page.getByRole('tab', { name: 'Speech' }).click()
  await page.getByRole('button', { name: 'Ask the matcher' }).click()
  await expect(page.getByText('4 of 5 chose this tool')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByLabel('Description for the model').fill('Half a')
  await page.getByRole('button', { name: /^中文/ }).click()
  await expect(page.getByLabel('给模型的描述')).toHaveValue('Half a')
  await expect(page.getByText('5 句中有 4 句选中此工具')).toBeVisible()
})

it('a tool made elsewhere is shown, not edited', async ({ page, open }) => {
  await open('/toolbox/tool/air_conditioner%2Eset_temperature')
  await expect(page.getByText('This tool is made from a Thing.')).toBeVisible()
  await expect(page.getByLabel('Description for the model')).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Publish v2' })).toBeDisabled()
})
