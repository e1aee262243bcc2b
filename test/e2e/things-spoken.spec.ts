import { expect, type Page, test } from '@playwright/test'
import type { Turn } from '../../electron/contract/conversation.ts'
import { type BundledServer, owner, startBundledServer } from '../support/bundled-server.ts'
import { createKeyboard } from '../support/keyboard.ts'

// A person without a pointer, before the built server: draws a Thing, speaks to it, publishes it, and takes it back.

let server: BundledServer
test.beforeAll(async () => {
  server = await startBundledServer()
})
test.afterAll(() => server.close())
test.use({ viewport: { width: 1440, height: 900 } })

const air = {
  power: { names: ['power', '电源'] },
  temperature: { type: 'whole', least: 16, most: 30, unit: 'Cel', names: ['temperature', '温度'] },
  fan_speed: { type: 'whole', least: 1, most: 5, names: ['fan speed', '风速'] },
  mode: { type: 'text', words: ['cool', 'heat', 'fan', 'dry'], names: ['mode', '模式'] },
  eco: { names: ['eco mode', '节能'] },
} as const
type Part = Partial<{ type: string; least: number; most: number; unit: string; words: readonly string[] }> & {
  readonly names: readonly string[]
}

async function signIn(page: Page, keys: ReturnType<typeof createKeyboard>): Promise<void> {
  await page.goto(server.loopback)
  await keys.fill('Name', owner.name)
  await keys.fill('Password', owner.password)
  await keys.press('Enter')
}

async function draw(page: Page, keys: ReturnType<typeof createKeyboard>): Promise<void> {
  await keys.push('New Thing')
  await keys.fill('Name in code', 'air_conditioner')
  await keys.press('Enter')
  await expect(page).toHaveURL(/\/things\/air_conditioner/)
  await keys.fill('Title in English', 'Air conditioner')
  await keys.fill('Title in Chinese', '空调')
  for (const [name, part] of Object.entries<Part>(air)) await addProperty(page, keys, { name, part })
  await expect(page.getByRole('status').filter({ hasText: 'Draft saved' })).toBeVisible()
}

async function addProperty(
  page: Page,
  keys: ReturnType<typeof createKeyboard>,
  { name, part }: { name: string; part: Part },
): Promise<void> {
  await keys.push('Property')
  await expect(page.getByRole('textbox', { name: 'Name in code' })).toBeFocused()
  await keys.fill('Name in code', name)
  if (part.type !== undefined) await keys.pick('Type', part.type)
  if (part.least !== undefined) await keys.fill('Least', String(part.least))
  if (part.most !== undefined) await keys.fill('Most', String(part.most))
  if (part.unit !== undefined) {
    await keys.tabTo('Unit', 'combobox')
    await keys.type(part.unit)
  }
  if (part.words) {
    await keys.pick('Text', 'one of')
    for (const [index, word] of part.words.entries()) {
      if (index > 0) await keys.push('Add a word')
      await keys.fill('Word in code', word)
    }
  }
  await keys.fill('What people say, English', part.names[0] ?? '')
  await keys.fill('What people say, Chinese', part.names[1] ?? '')
}

const turnWith = (page: Page, text: string) => page.getByRole('article', { name: /^Turn at/ }).filter({ hasText: text })

/** Types a sentence and waits until its turn shows `ref`. */
async function say(
  page: Page,
  keys: ReturnType<typeof createKeyboard>,
  { text, ref }: { text: string; ref: string },
): Promise<void> {
  await keys.fill('Type instead of speaking', text)
  await keys.press('Enter')
  await expect(turnWith(page, text)).toContainText(ref, { timeout: 30_000 })
}

async function lastCall(userText: string): Promise<Turn['calls'][number] | undefined> {
  const { turns } = await server.rpc.turns.list({ limit: 20 })
  return turns.find((turn) => turn.userText === userText)?.calls.at(-1)
}

test('an air conditioner is drawn, spoken to, published, narrowed, tried on one board and taken back, by keys alone', async ({
  page,
}) => {
  const keys = createKeyboard(page)
  await signIn(page, keys)
  await keys.push('Try without a board')
  await expect(page).toHaveURL(/\/devices\/02%3A.*\/live/, { timeout: 60_000 })
  await keys.goTo('things')
  await draw(page, keys)
  const [{ model } = { model: null }] = (await server.rpc.things.detail({ name: 'air_conditioner' })).drafts
  expect(model?.properties).toMatchObject([
    { name: 'power', type: 'boolean' },
    { name: 'temperature', type: 'integer', minimum: 16, maximum: 30, unit: 'Cel' },
    { name: 'fan_speed', type: 'integer', minimum: 1, maximum: 5 },
    { name: 'mode', type: 'string', values: ['cool', 'heat', 'fan', 'dry'] },
    { name: 'eco', type: 'boolean' },
  ])

  await keys.push('Simulate')
  await keys.push('Use a sample sentence')
  await expect(turnWith(page, 'turn on the air conditioner')).toContainText('set_power', { timeout: 30_000 })
  await expect(page.getByRole('switch', { name: 'power' })).toBeChecked()
  await keys.fill('Type instead of speaking', '空调调到22度')
  await keys.press('Enter')
  await expect(turnWith(page, '空调调到22度')).toContainText('set_temperature', { timeout: 30_000 })
  await expect.poll(() => lastCall('空调调到22度')).toMatchObject({ arguments: { temperature: 22 }, outcome: 'ok' })

  await keys.push('Publish…')
  await keys.fill('Note', 'First one')
  await keys.push('Publish v1')
  await expect(page.getByRole('dialog')).toBeHidden()
  await say(page, keys, { text: 'set the air conditioner to 30 degrees', ref: 'set_temperature@1' })
  await expect
    .poll(() => lastCall('set the air conditioner to 30 degrees'))
    .toMatchObject({
      ref: 'set_temperature@1',
      arguments: { temperature: 30 },
      outcome: 'ok',
    })

  await keys.push(/^temperature/)
  await keys.fill('Least', '18')
  await keys.fill('Most', '28')
  await expect(page.getByRole('status').filter({ hasText: 'Draft saved' })).toBeVisible()
  await keys.push('Publish…')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('breaking').first()).toBeVisible()
  await keys.fill('Note', 'Cheaper')
  await keys.tabTo('All boards that have this Thing', 'radio')
  await keys.press('ArrowDown')
  await keys.tabTo(/^Virtual board/, 'checkbox')
  await keys.press('Space')
  await keys.push('Publish v2')
  await expect(dialog).toBeHidden()
  await say(page, keys, { text: 'set the air conditioner to 27 degrees', ref: 'set_temperature@2' })
  await expect
    .poll(() => lastCall('set the air conditioner to 27 degrees'))
    .toMatchObject({
      ref: 'set_temperature@2',
      outcome: 'ok',
    })

  await keys.panel('Simulate', 'Versions')
  await expect(page.getByRole('article', { name: 'v2' })).toContainText('on one board only')
  await keys.push('Roll back to v1')
  await keys.push('Roll back')
  await expect(page.getByRole('article', { name: 'v3' })).toBeVisible()
  await keys.panel('Versions', 'Simulate')
  // Version 3 says what version 1 said, so its tools are the same ones.
  await say(page, keys, { text: 'set the air conditioner to 16 degrees', ref: 'set_temperature@1' })
  await expect
    .poll(() => lastCall('set the air conditioner to 16 degrees'))
    .toMatchObject({
      ref: 'set_temperature@1',
      arguments: { temperature: 16 },
      outcome: 'ok',
    })
})
