import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { type BundledServer, owner, startBundledServer } from '../support/bundled-server.ts'

// The life of a tool before the built server, nothing scripted: drawn, tried, published, narrowed, tried on one board,
// taken back, replaced; then what other places bring.

const outsideProgram = fileURLToPath(new URL('../support/mcp-fixture-server.ts', import.meta.url))

let server: BundledServer
let page: Page
let board = ''
test.describe.configure({ mode: 'serial', timeout: 45_000 })
test.beforeAll(async ({ browser }) => {
  server = await startBundledServer()
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  await page.goto(server.loopback)
  await page.getByLabel('Name').fill(owner.name)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Try without a board' }).click()
  await expect(page).toHaveURL(/\/devices\/02%3A.*\/live/, { timeout: 60_000 })
  board = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '')
  page.setDefaultTimeout(10_000)
})
test.afterAll(async () => {
  await page.close()
  await server.close()
})

const draftSaved = () => expect(page.getByRole('status').filter({ hasText: 'Draft saved' })).toBeVisible()
const testCall = () => page.getByRole('region', { name: 'Test call' })
const versions = () => page.getByRole('list', { name: 'Versions' })

async function publish(version: number, prepare: (dialog: Locator) => Promise<void> = async () => undefined) {
  await page.getByRole('button', { name: `Publish v${version}` }).click()
  const dialog = page.getByRole('dialog', { name: /^Publish / })
  await prepare(dialog)
  await dialog.getByRole('button', { name: `Publish v${version}` }).click()
  await expect(dialog).toBeHidden()
}

async function parameter(kind: string, name: string) {
  await page.getByRole('button', { name: 'Add parameter' }).click()
  await page.getByRole('menuitem', { name: kind, exact: true }).click()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
}

test('a tool is drawn, linted, tried, kept as a case and published with a note', async () => {
  await page.goto(`${server.loopback}/toolbox`)
  await page.getByRole('button', { name: 'New tool' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('set_heater')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/toolbox\/tool\/set_heater/)
  await parameter('Whole number', 'temperature')
  await page.getByRole('button', { name: 'Details of temperature' }).click()
  await page.getByLabel('At least').fill('16')
  await page.getByLabel('At most').fill('30')
  await draftSaved()
  await page.getByRole('tab', { name: /^Checks/ }).click()
  await expect(page.getByText('Must be fixed:').or(page.getByText('Risky:')).first()).toBeVisible()
  await page.getByLabel('Description for the model').fill('Sets the temperature of the heater in the workshop.')
  await page.getByLabel('Names of The tool acts on in English').fill('heater')
  await page.getByLabel('Names of The tool acts on in Chinese').fill('暖气')
  await draftSaved()
  await page.getByRole('tab', { name: 'Speech' }).click()
  await page.getByRole('button', { name: 'Ask the matcher' }).click()
  await expect(page.getByText('5 of 5 chose this tool')).toBeVisible()

  await publish(1, (dialog) => dialog.getByLabel('Note').fill('The first one'))
  await testCall().getByRole('spinbutton', { name: 'temperature' }).fill('40')
  await testCall().getByRole('button', { name: 'Run', exact: true }).click()
  await expect(testCall().getByText(/^Refused ·/)).toBeVisible()
  await testCall().getByLabel('Name of this call as a case').fill('too hot')
  await testCall().getByRole('button', { name: 'Save case' }).click()
  await testCall().getByRole('button', { name: 'Run all' }).click()
  await expect(testCall().getByText('passed')).toBeVisible()
  await page.getByRole('link', { name: /^Versions/ }).click()
  await expect(versions()).toContainText('The first one')
})

test('the draft gives the code of a board, and says what no model was asked', async () => {
  await page.getByRole('link', { name: 'Edit and test', exact: true }).click()
  await page.getByRole('tab', { name: 'Firmware' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview).toContainText('{"set_heater", call_set_heater_tool}')
  await expect(preview).toContainText('temperature_ < 16 || temperature_ > 30')
  await preview.getByRole('button', { name: 'UART-MCP' }).click()
  await expect(preview).toContainText('mcp-tool {')
  await page.getByRole('tab', { name: 'Speech' }).click()
  await expect(page.getByRole('region', { name: 'Language model' })).toContainText('No language model is connected')
})

test('a narrowed range is breaking, is tried on one board, taken back, and its turns are found', async () => {
  await page.getByLabel('At least').fill('18')
  await draftSaved()
  await publish(2, async (dialog) => {
    await expect(dialog.getByText('breaking')).toBeVisible()
    await expect(dialog.getByText('1 of 1 passed')).toBeVisible()
    await dialog.getByLabel('Try it on some boards first').check()
    await dialog.getByRole('checkbox', { name: /Virtual board/ }).check()
    await dialog.getByLabel('Note').fill('Cheaper')
  })
  await expect(page.getByText('on trial on 1 board')).toBeVisible()
  await page.getByRole('link', { name: /^Versions/ }).click()
  await page.getByRole('button', { name: 'Compare with v1' }).click()
  await expect(page.getByRole('heading', { name: 'v1 to v2' })).toBeVisible()
  await page.getByRole('button', { name: 'Give to everybody' }).click()
  await expect(page.getByText('on trial on 1 board')).toBeHidden()
  await page.getByRole('button', { name: 'Roll back to v1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back to v1' }).click()
  await expect(page.getByText('v1 is back as v3.')).toBeVisible()

  await page.getByRole('link', { name: 'Turns with v2' }).click()
  await expect(page).toHaveURL(/conversations\?tool=set_heater%402|conversations\?tool=set_heater@2/)
  await expect(page.getByText('No turn matches this filter')).toBeVisible()
  await page.getByRole('button', { name: 'Show turns without set_heater@2 too' }).click()
  await expect(page).toHaveURL(/conversations$/)
})

test('two who publish see three texts, and neither is lost', async () => {
  // A draft is one person's, so the other one publishes by taking back a version that was left for it.
  const other = await server.rpc.tools.openDraft({ name: 'set_heater' })
  const content = { ...other.content, description: 'The words of somebody else.', idempotent: true }
  const saved = await server.rpc.tools.saveDraft({ id: other.id, revision: other.revision, content })
  await server.rpc.tools.publishDraft({ draftId: saved.id, basedOn: saved.basedOn, note: 'Left', canary: [] })
  await server.rpc.tools.rollBack({ name: 'set_heater', to: 3, note: 'As before' })

  await page.goto(`${server.loopback}/toolbox/tool/set_heater`)
  await page.getByLabel('Description for the model').fill('My own words about the heater.')
  await draftSaved()
  await server.rpc.tools.rollBack({ name: 'set_heater', to: 4, note: 'Meanwhile' })
  await page.getByRole('button', { name: 'Compare and merge' }).click()
  const dialog = page.getByRole('dialog', { name: 'Merge with v6' })
  await expect(dialog).toContainText('The words of somebody else.')
  await dialog.getByRole('group', { name: 'Description' }).getByRole('radio', { name: /Yours/ }).check()
  await dialog.getByRole('button', { name: 'Use this merge' }).click()
  await expect(dialog).toBeHidden()
  await publish(7)
  const { versions: all } = await server.rpc.tools.detail({ name: 'set_heater' })
  expect(all.find(({ version }) => version === 7)).toMatchObject({
    description: 'My own words about the heater.',
    idempotent: true,
  })
})

test('a lamp of the board is called, its turn is found by its version, and a tool is replaced', async () => {
  await page.goto(`${server.loopback}/toolbox/tool/set_lamp`)
  await testCall().getByLabel('Target').selectOption({ label: 'Virtual board' })
  await testCall().getByRole('button', { name: 'Run', exact: true }).click()
  await expect(testCall().getByText(/^Called ·/)).toBeVisible()
  await page.getByRole('link', { name: 'Calls' }).click()
  await expect(page.getByRole('button', { name: /set_lamp@1/ })).toHaveCount(1)

  await server.rpc.talk.type({ deviceId: board, text: 'turn on the lamp' })
  await expect
    .poll(async () => (await server.rpc.turns.list({ toolRef: 'set_lamp@1', limit: 5 })).turns.at(0)?.calls.length)
    .toBe(1)
  await page.getByRole('link', { name: /^Versions/ }).click()
  await page.getByRole('link', { name: 'Turns with v1' }).click()
  await expect(page.getByText('Offered or called: set_lamp@1')).toBeVisible()
  await expect(page.getByText('turn on the lamp').first()).toBeVisible()

  await page.goto(`${server.loopback}/toolbox/tool/set_heater`)
  await page.getByRole('button', { name: 'More about this tool' }).click()
  await page.getByRole('menuitem', { name: /^Deprecate/ }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('set_lamp')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Deprecate/ })
    .click()
  await page.getByRole('link', { name: /^Versions/ }).click()
  await expect(versions()).toContainText('Replaced by set_lamp')
})

test('tools come from OpenAPI, from a board and from an MCP server, and go out again', async () => {
  await page.goto(`${server.loopback}/toolbox/connections`)
  await page.getByRole('button', { name: 'Add server' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add server' })
  await form.getByLabel('Name', { exact: true }).fill('town')
  await form.getByLabel('Command').fill(process.execPath)
  await form.getByLabel('Arguments, one a line').fill(`${outsideProgram}\nplain`)
  await form.getByRole('button', { name: 'Add one' }).click()
  await form.getByLabel('Name 1').fill('TOWN_KEY')
  await form.getByLabel('Value of TOWN_KEY').fill('s3cret-value')
  await form.getByRole('button', { name: 'Save and connect' }).click()
  const card = page.getByRole('article', { name: 'town' })
  await expect(card).toContainText('ready', { timeout: 20_000 })
  await card.getByRole('button', { name: 'Agree to weather' }).click()
  await card.getByRole('button', { name: 'Agree to change' }).click()
  await expect(card.getByRole('link', { name: 'change' })).toBeVisible()
  await expect(page.getByText('s3cret-value')).toHaveCount(0)
  await server.rpc.tools.call({ deviceId: board, name: 'mcp_town_change', arguments: {} })
  await expect(card).toContainText('You agreed to')
  await card.getByRole('button', { name: 'Agree to weather' }).click()
  await expect(card.getByRole('link', { name: 'weather' })).toBeVisible()

  await page.goto(`${server.loopback}/toolbox`)
  const dialog = page.getByRole('dialog', { name: 'Import tools' })
  const take = async (from: string, text: string | null, name: string) => {
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByLabel('Take from').selectOption({ label: from })
    if (text !== null) await dialog.getByLabel('Paste JSON or YAML').fill(text)
    await dialog.getByRole('button', { name: 'Read', exact: true }).click()
    await expect(dialog.getByRole('checkbox', { name })).toBeChecked()
  }
  await take('Board Virtual board', null, 'set_lamp')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await take('MCP server town', null, 'mcp_town_weather')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const openApi = {
    openapi: '3.0.0',
    info: { title: 'Doors', version: '1' },
    paths: { '/door': { post: { operationId: 'open_door', summary: 'Opens a door.', responses: {} } } },
  }
  await take('Text or file', JSON.stringify(openApi), 'open_door')
  await dialog.getByRole('button', { name: 'Import 1 as draft' }).click()
  await expect(dialog).toBeHidden()
  await page.getByLabel('Filter tools').fill('set_lamp')
  await page.getByRole('checkbox', { name: 'Choose set_lamp' }).check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export 1' }).click(),
  ])
  expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({ tools: [{ name: 'set_lamp' }] })
})

test('a class gets a list, and its board is offered no more than that', async () => {
  await page.goto(`${server.loopback}/toolbox/access`)
  await page.getByRole('button', { name: 'New class' }).click()
  const dialog = page.getByRole('dialog', { name: 'New class' })
  await dialog.getByLabel('Name').fill('4A')
  await dialog.getByRole('checkbox', { name: /Virtual board/ }).check()
  await dialog.getByRole('button', { name: 'Save class' }).click()
  await page.getByRole('button', { name: /^4A/ }).click()
  await page.getByRole('radio', { name: /Only chosen tools/ }).check()
  await page.getByLabel('Filter tools').fill('set_lamp')
  await page.getByRole('checkbox', { name: 'set_lamp' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('switch', { name: '4A is active' }).click()
  await expect
    .poll(async () =>
      (await server.rpc.tools.ofDevice({ deviceId: board }))
        .filter(({ withheld }) => withheld === null)
        .map(({ name }) => name),
    )
    .toEqual(['set_lamp'])
})
