import { expect } from '@playwright/test'
import { consoleTest as test, violations } from '../support/console-page-test.ts'

test.describe('from an empty house', () => {
  test.use({ world: 'empty' })

  test('a model is connected with the keyboard, tested, and says where text goes', async ({ page, open }) => {
    await open('/server')
    const card = page.getByRole('region', { name: 'Language model' })
    await expect(card).toContainText('All local: no text leaves this house.')
    await card.getByLabel('Address').fill('https://models.example.com/v1')
    await card.getByLabel('Model').fill('large')
    await card.getByLabel('Key').fill('sk-secret')
    await card.getByLabel('Key').press('Enter')
    await expect(card).toContainText('Text goes to models.example.com on the internet.')
    // A key that was given is never shown again.
    await expect(card.getByLabel('Key', { exact: true })).toHaveValue('')
    await card.getByRole('button', { name: 'Save and test' }).press('Enter')
    const found = card.getByRole('status', { name: 'What the test found' })
    await expect(found.getByRole('listitem')).toHaveCount(3)
    await expect(found).toContainText('This model cannot call tools')
    expect(await violations(page)).toEqual([])
    await card.getByRole('button', { name: 'Disconnect' }).press('Enter')
    await expect(card).toContainText('All local: no text leaves this house.')
  })
})

test('the model is asked with five sentences, and what it would call is shown', async ({ page, open }) => {
  await open('/toolbox/tool/set_lamp')
  await page.getByRole('tab', { name: 'Speech' }).click()
  const asked = page.getByRole('region', { name: 'Language model' })
  await asked.getByRole('button', { name: 'Ask the model' }).click()
  await expect(asked.getByRole('listitem')).toHaveCount(5)
  await expect(asked).toContainText('4 of 5 chose this tool')
  await expect(asked).toContainText('Which lamp do you mean?')
  expect(await violations(page)).toEqual([])
})

test('without a model the tool editor says so and leads to it', async ({ page, open }) => {
  await open('/server')
  await page.getByRole('region', { name: 'Language model' }).getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('All local: no text leaves this house.')).toBeVisible()
  await open('/toolbox/tool/set_lamp')
  await page.getByRole('tab', { name: 'Speech' }).click()
  const asked = page.getByRole('region', { name: 'Language model' })
  await expect(asked).toContainText('No language model is connected')
  await asked.getByRole('link').click()
  await expect(page).toHaveURL(/\/server$/)
})
