import { expect, type Page } from '@playwright/test'
import { consoleTest as test, settled, violations } from '../support/console-page-test.ts'

const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })
const saved = (page: Page) => expect(status(page, 'Draft saved')).toBeVisible()

/** Tabs until the control of this name has the focus: no pointer, and no jump that a person could not make. */
async function tabTo(
  page: Page,
  name: string | RegExp,
  role: 'button' | 'textbox' | 'combobox' | 'checkbox' = 'textbox',
) {
  const wanted = page.getByRole(role, { name }).last()
  for (let step = 0; step < 120; step++) {
    if (await wanted.evaluate((node) => node === document.activeElement).catch(() => false)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The keyboard does not reach ${String(name)}`)
}
async function retype(page: Page, text: string) {
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

test.describe('from an empty house', () => {
  test.use({ world: 'empty' })

  test('an air conditioner is drawn with the keyboard alone', async ({ page, open, server }) => {
    await open('/things')
    await tabTo(page, 'New Thing', 'button')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Name in code')
    await retype(page, 'bedroom_ac')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/things\/bedroom_ac/)
    await tabTo(page, 'Title in English')
    await retype(page, 'Air conditioner')
    await tabTo(page, 'Title in Chinese')
    await retype(page, '空调')

    const add = async (name: string) => {
      await page
        .getByRole('region', { name: 'Properties' })
        .getByRole('button', { name: 'Property', exact: true })
        .focus()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('textbox', { name: 'Name in code' })).toBeFocused()
      await retype(page, name)
    }
    await add('power')
    await add('temperature')
    await tabTo(page, 'Type', 'combobox')
    await page.keyboard.type('whole')
    await tabTo(page, 'Least')
    await retype(page, '16')
    await tabTo(page, 'Most')
    await retype(page, '30')
    await tabTo(page, 'Unit', 'combobox')
    await retype(page, 'Cel')
    await page.keyboard.press('Tab')
    await add('mode')
    await tabTo(page, 'Type', 'combobox')
    await page.keyboard.type('text')
    await tabTo(page, 'Text', 'combobox')
    await page.keyboard.type('one of')
    await tabTo(page, 'Word in code')
    await retype(page, 'cool')
    await saved(page)
    await page.getByRole('button', { name: /^mode/ }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await expect(page.getByRole('button', { name: /^mode/ })).toBeFocused()

    await expect
      .poll(() => server.things.draft('bedroom_ac')?.model.properties.map(({ name, type }) => `${name} ${type}`))
      .toEqual(['power boolean', 'mode string', 'temperature integer'])
    expect(server.things.draft('bedroom_ac')?.model).toMatchObject({
      title: { en: 'Air conditioner', zh: '空调' },
      properties: [{}, { values: ['cool'] }, { minimum: 16, maximum: 30, unit: 'Cel' }],
    })
    expect(await violations(page)).toEqual([])
  })
})

test('a narrowed range is breaking, goes to one board first, and is rolled back', async ({ page, open, server }) => {
  await open('/things/class_air')
  await page.getByRole('button', { name: /^temperature/ }).click()
  await page.getByRole('textbox', { name: 'Least' }).fill('18')
  await page.getByRole('textbox', { name: 'Most' }).fill('28')
  await saved(page)
  await page.getByRole('button', { name: 'Publish…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('properties/temperature')
  await expect(dialog.getByText('breaking').first()).toBeVisible()
  expect(await violations(page)).toEqual([])
  await dialog.getByLabel('Note').fill('Cheaper')
  await dialog.getByLabel('Only these boards, for now').check()
  await dialog.getByRole('checkbox', { name: 'Ada' }).check()
  await dialog.getByRole('button', { name: 'Publish v2' }).click()
  await expect(dialog).toBeHidden()
  expect(server.things.newest('class_air')).toMatchObject({ version: 2, note: 'Cheaper', canary: [expect.any(String)] })

  await page.getByRole('tab', { name: 'Versions' }).click()
  await page.getByRole('button', { name: 'Roll back to v1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
  await expect(page.getByRole('article', { name: 'v3' })).toBeVisible()
  expect(server.things.newest('class_air')?.model.properties[1]).toMatchObject({ minimum: 16, maximum: 30 })
})

test('when somebody published meanwhile, both texts are shown and joined', async ({ page, open, server }) => {
  await open('/things/desk_lamp')
  await page.getByLabel('Description for the model').first().fill('Mine.')
  await saved(page)
  server.things.publishElsewhere('desk_lamp', (model) => ({
    ...model,
    description: 'Theirs.',
    title: { ...model.title, en: 'Door lamp' },
  }))
  await page.getByRole('button', { name: 'Publish…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Mina published v3')
  await expect(dialog.getByText('both changed')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Join with v3' }).click()
  await dialog.getByRole('button', { name: 'Publish v4' }).click()
  await expect(dialog).toBeHidden()
  expect(server.things.newest('desk_lamp')?.model).toMatchObject({ description: 'Mine.', title: { en: 'Door lamp' } })
})

test('nothing typed is lost by a reload, by a lost server, or by another window', async ({ page, open, server }) => {
  await open('/things/desk_lamp')
  server.online(false)
  await page.getByLabel('Description for the model').first().fill('Typed without a server.')
  server.online(true)
  await page.reload()
  await settled(page)
  await expect(page.getByLabel('Description for the model').first()).toHaveValue('Typed without a server.')
  await saved(page)

  server.things.saveElsewhere('desk_lamp', (model) => ({ ...model, description: 'From another window.' }))
  await page.getByLabel('Description for the model').first().fill('From this window.')
  await expect(page.getByRole('alert').filter({ hasText: 'The draft was changed elsewhere' })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Keep what is on this page' }).click()
  await saved(page)
  expect(server.things.draft('desk_lamp')?.model.description).toBe('From this window.')
})

test('a half-typed name stays on the page and is told, and the language may change meanwhile', async ({
  page,
  open,
  server,
}) => {
  await open('/things/desk_lamp')
  await page.getByRole('button', { name: /^brightness/ }).click()
  await page.getByRole('textbox', { name: 'Name in code' }).fill('Bright ness')
  await expect(page.getByText('Small letters, digits and _, beginning with a letter.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Publish…' })).toBeDisabled()
  expect(server.things.draft('desk_lamp')).toBeUndefined()
  await page.getByRole('button', { name: /^中文/ }).click()
  await expect(page.getByRole('textbox', { name: '代码中的名称' })).toHaveValue('Bright ness')
})

test('half-made Chinese is not sent on', async ({ page, open }) => {
  await open('/things/desk_lamp')
  const field = page.getByLabel('Title in Chinese')
  await field.focus()
  await page.keyboard.press('Control+a')
  const input = await page.context().newCDPSession(page)
  await input.send('Input.imeSetComposition', { text: 'tai', selectionStart: 3, selectionEnd: 3 })
  await expect(status(page, 'As published')).toBeVisible()
  await input.send('Input.insertText', { text: '台灯' })
  await expect(field).toHaveValue('台灯')
  await saved(page)
})

test('a change that was sent is pending until the Thing confirms it, and a call leaves a trace', async ({
  page,
  open,
  server,
}) => {
  await open('/things/desk_lamp')
  const power = page.getByRole('switch', { name: 'power' })
  await expect(power).toBeChecked()
  server.things.holdWrites(true)
  await power.click()
  await expect(page.getByText('Sent, not confirmed yet; last known on')).toBeVisible()
  server.things.confirm()
  await expect(page.getByText('Sent, not confirmed yet; last known on')).toBeHidden()
  await expect(power).not.toBeChecked()
  await expect(page.getByRole('list', { name: 'Call trace' })).toContainText('set_power')

  await page.getByRole('region', { name: 'Let something happen' }).getByRole('button').first().click()
  await page.getByRole('button', { name: 'Raise' }).click()
  await expect(page.getByText('said aloud').first()).toBeVisible()
  await page.getByLabel('Every call').selectOption('error')
  await power.click()
  await expect(page.getByText('The board did not answer in time')).toBeVisible()
})

test('a changed range is in the code at once, and each target says what it loses', async ({ page, open }) => {
  await open('/things/window_sensor?panel=code')
  await page.getByRole('button', { name: /Legacy descriptor/ }).click()
  await expect(page.getByText('properties/temperature').first()).toBeVisible()
  await page.getByRole('button', { name: /ESP Thing/ }).click()
  await page.getByRole('button', { name: /^temperature/ }).click()
  await page.getByRole('textbox', { name: 'Most' }).fill('60')
  await expect(page.getByLabel('window_sensor_thing.cc', { exact: true })).toContainText('-40 to 60')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download window_sensor_thing.cc' }).click()
  expect((await download).suggestedFilename()).toBe('window_sensor_thing.cc')
})

test('a pin that the board needs itself is marked', async ({ page, open }) => {
  await open('/things/desk_lamp')
  const wiring = page.getByRole('region', { name: 'Wiring' })
  await wiring.getByLabel('Board').selectOption({ index: 1 })
  const pin = wiring.getByLabel('Pin', { exact: true })
  const taken = await pin.evaluate(
    (node) => [...(node as HTMLSelectElement).options].find((option) => /flash|psram/i.test(option.text))?.value,
  )
  await pin.selectOption(taken ?? '')
  await expect(wiring.getByText(/The board uses this pin itself/)).toBeVisible()
})

test('the page of a board shows its Things with age and history', async ({ page, open }) => {
  await open('/devices/virtual-1/things')
  const sensor = page.getByRole('article', { name: 'Climate sensor' })
  await expect(sensor.getByText('26.1 °C').first()).toBeVisible()
  await expect(sensor.getByText(/^confirmed/).first()).toBeVisible()
  await expect(sensor.getByRole('region', { name: 'History' })).toBeVisible()
  await expect(sensor.getByRole('slider')).toHaveCount(0)
})
