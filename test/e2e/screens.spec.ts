import { expect, test, type Page } from '@playwright/test'
import { pages, visitorWith, type Look } from '../support/console-browser.ts'
import { startConsoleServer } from '../support/console-server.ts'
import type { WorldName } from '../support/console-world.ts'
import { colourRules, consoleTest as it, look, settled, violations, watchErrors } from '../support/console-page-test.ts'

const worlds: WorldName[] = ['empty', 'busy', 'failed']
const languages: Look['language'][] = ['en', 'zh-CN']
/** Buttons and tabs whose words do not fit, and targets under 24 × 24 px. */
const badControls = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, nav a, select, a.btn')]
      .filter((node) => node.checkVisibility())
      .filter((node) => {
        const box = node.getBoundingClientRect()
        const clipped =
          node.scrollWidth > node.clientWidth + 1 &&
          node.querySelector('.truncate') === null &&
          node.tagName !== 'SELECT'
        return clipped || (box.width > 1 && (box.width < 24 || box.height < 24))
      })
      .map((node) => node.outerHTML.slice(0, 160)),
  )

for (const world of worlds) {
  for (const language of languages) {
    test(`no accessibility violation on any screen in either theme: ${world}, ${language}`, async ({ browser }) => {
      const server = await startConsoleServer(world)
      const context = await visitorWith(browser, { theme: 'system', language })
      const page = await context.newPage()
      const errors = watchErrors(page)
      try {
        for (const [name, path] of Object.entries(pages)) {
          await page.emulateMedia({ colorScheme: 'light' })
          await page.goto(server.url + path)
          await settled(page)
          expect.soft(await violations(page), `${name} axe`).toEqual([])
          expect.soft(await badControls(page), `${name} controls`).toEqual([])
          await page.emulateMedia({ colorScheme: 'dark' })
          expect.soft(await violations(page, colourRules), `${name} axe, dark`).toEqual([])
        }
        expect(errors).toEqual([])
      } finally {
        await context.close()
        await server.close()
      }
    })
  }
}

it('forced colours and a phone keep every screen usable', async ({ server, browser }) => {
  const context = await visitorWith(browser, { ...look, width: 320, height: 640 })
  const page = await context.newPage()
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(server.url + path)
    await settled(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect.soft(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0)
    expect.soft(await violations(page), name).toEqual([])
  }
  await context.close()
})

it('opened dialogs, menus and the palette have no violation either', async ({ server, page }) => {
  await page.goto(`${server.url}/devices/virtual-1/tools`)
  await settled(page)

  await page.getByRole('button', { name: 'set_lamp@3' }).click()
  await expect(page.getByLabel('JSON', { exact: true })).toBeVisible()
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'More actions' }).click()
  await expect(page.getByRole('menuitem', { name: 'Reboot' })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Forget device' }).click()
  await expect(page.getByRole('dialog')).toContainText('Forget Virtual board?')
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: /^Jobs/ }).click()
  await expect(page.getByRole('dialog', { name: 'Jobs' })).toBeVisible()
  expect(await violations(page)).toEqual([])
})

it('a turn that a restarted server does not know is not running any more', async ({ server, page }) => {
  await page.goto(`${server.url}/devices/virtual-1/live`)
  await settled(page)
  await expect(page.getByRole('article').first()).toContainText('Running')
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()

  server.forgetRunning()
  server.online(false)
  await expect(page.getByText('The server cannot be reached', { exact: true })).toBeVisible()
  server.online(true)

  await expect(page.getByRole('article').first()).toContainText('Interrupted')
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden()
})

it('many boards that ask are folded, and can be turned away together', async ({ server, page }) => {
  await page.goto(`${server.url}/fleet`)
  await settled(page)
  server.askToJoin(7)
  const approve = page.getByRole('button', { name: 'Approve' })
  await expect(approve).toHaveCount(5)
  await page.getByRole('button', { name: 'Show all 7' }).click()
  await expect(approve).toHaveCount(7)

  await page.getByRole('button', { name: 'Reject all' }).click()
  await expect(page.getByRole('dialog')).toContainText('Reject all 7 boards?')
  expect(await violations(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Reject all' }).click()

  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(approve).toHaveCount(0)
})

it('in a narrow window the newest turn comes before the guide', async ({ server, page }) => {
  await page.setViewportSize({ width: 400, height: 800 })
  await page.goto(`${server.url}/devices/virtual-1/live?welcome=1`)
  await settled(page)

  const guide = await page.getByRole('region', { name: 'Your first turn' }).boundingBox()
  const turn = await page.getByRole('article').first().boundingBox()
  expect(turn?.y).toBeLessThan(guide?.y ?? 0)
})

it('the palette finds boards and screens in both languages', async ({ server, page }) => {
  await page.goto(`${server.url}/fleet`)
  await settled(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('烧录')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/flash$/)
  await expect(page).toHaveTitle('Flash · Roost')

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('小明')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('小明的灯')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})

it('letters are commands on the page and text in a field', async ({ server, page }) => {
  await page.goto(`${server.url}/fleet`)
  await settled(page)
  await page.keyboard.press('/')
  await expect(page.getByLabel('Filter boards')).toBeFocused()
  await page.keyboard.type('g')
  await page.keyboard.type('c')
  await expect(page.getByLabel('Filter boards')).toHaveValue('gc')
  await expect(page).toHaveURL(/\/fleet/)

  await page.getByLabel('Filter boards').fill('')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await expect(page).toHaveURL(/\/conversations/)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
})

it('a lost server is announced, writes are off, and everything comes back by itself', async ({ server, page }) => {
  await page.goto(`${server.url}/devices/virtual-1/live`)
  await settled(page)
  const sample = page.getByRole('button', { name: 'Use a sample sentence' })
  await expect(sample).toBeEnabled()

  server.online(false)
  await expect(page.getByRole('alert').filter({ hasText: 'The server cannot be reached' })).toBeVisible()
  await expect(sample).toBeDisabled()
  await expect(page.getByText('turn on the lamp').first()).toBeVisible()
  expect(await violations(page)).toEqual([])

  // A try that fails changes nothing; after it nobody has to press anything.
  const banner = page.getByRole('alert').filter({ hasText: 'The server cannot be reached' })
  await page.getByRole('button', { name: 'Try now' }).click()
  await expect(banner).toBeVisible()
  server.online(true)
  await expect(banner).toBeHidden({ timeout: 30_000 })
  await expect(sample).toBeEnabled()
})

it('a page that was never opened says that the server is away, and opens by itself when it is back', async ({
  server,
  page,
}) => {
  await page.goto(`${server.url}/fleet`)
  await settled(page)
  server.online(false)
  await expect(page.getByRole('alert').filter({ hasText: 'The server cannot be reached' })).toBeVisible()
  // No server at all, not only no socket.
  await page.route('**/*', (route) => route.abort())
  await page.getByRole('link', { name: 'Everyday' }).click()
  const lost = page.getByRole('alert').filter({ hasText: 'This page cannot be opened now' })
  await expect(lost).toBeVisible()
  await lost.getByRole('button', { name: 'Try again' }).click()
  await expect(lost).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.unroute('**/*')
  server.online(true)
  await expect(page.getByRole('heading', { name: 'Everyday', level: 1 })).toBeVisible({ timeout: 30_000 })
  await expect(page).toHaveURL(/\/helpers/)
})

it('the language changes without a reload and keeps what was typed', async ({ server, page }) => {
  await page.goto(`${server.url}/devices/virtual-1/live`)
  await settled(page)
  await page.getByLabel('Type instead of speaking').fill('a draft')
  await page.getByRole('button', { name: /^中文/ }).click()
  await expect(page.getByLabel('用打字代替说话')).toHaveValue('a draft')
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN')
})

it('a test call is made by form or by JSON, and nothing is lost between them', async ({ server, page }) => {
  await page.goto(`${server.url}/devices/virtual-1/tools`)
  await settled(page)
  await page.getByRole('button', { name: 'set_lamp@3' }).click()
  const json = page.getByLabel('JSON', { exact: true })
  await json.fill('{"on": true, "brightness": 20, "unknown": [1, {"deep": null}]}')
  await expect(page.getByRole('spinbutton', { name: 'brightness' })).toHaveValue('20')
  await page.getByRole('spinbutton', { name: 'brightness' }).fill('140')
  await expect(page.getByText('The value is too large.')).toBeVisible()
  await expect(json).toHaveValue(/"deep": null/)
  await page.getByRole('spinbutton', { name: 'brightness' }).fill('40')
  await page.getByRole('button', { name: 'Test call' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Called' })).toBeVisible()
})

it('a filter of the conversations is in the address, and a turn can be linked to', async ({ server, page }) => {
  await page.goto(`${server.url}/conversations?status=failed`)
  await settled(page)
  await expect(page.getByText('No turn matches this filter')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filter' }).last().click()
  await page
    .getByRole('button', { name: /打开灯/ })
    .first()
    .click()
  await expect(page).toHaveURL(/\/conversations\/turn-\d*3/)
  await page.reload()
  await expect(page.getByRole('article')).toContainText('好的，灯开了。')
  await expect(page.getByRole('article')).toContainText('1.21 s')
  await expect(page.getByRole('article')).toContainText('set_lamp@3')
})

it.describe('with nothing yet', () => {
  it.use({ world: 'empty' })

  it('a visitor without a board sees every lane stage and lands on the page of the virtual board', async ({
    server,
    page,
  }) => {
    await page.goto(`${server.url}/fleet`)
    await settled(page)
    await page.getByRole('button', { name: 'Try without a board' }).click()
    for (const phase of ['Detect', 'Compare', 'Erase', 'Write', 'Verify', 'Start', 'Provision', 'Hello']) {
      await expect(
        page.getByRole('listitem').filter({ hasText: phase }).and(page.locator('[aria-current=step]')),
      ).toBeVisible()
      server.stepTry()
    }
    await expect(page).toHaveURL(/\/devices\/virtual-1\/live\?welcome=1/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Virtual board')
    await page.getByRole('button', { name: 'Use a sample sentence' }).click()
    await expect(page.getByRole('heading', { name: 'Your first turn is complete' })).toBeVisible()
    await expect(page.getByRole('article').first()).toContainText('after end of speech')
  })

  it('signing out, a wrong password and signing in again', async ({ server, page }) => {
    await page.goto(`${server.url}/fleet`)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Name').fill('owner')
    await page.getByLabel('Password').fill('wrong-password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByText('Name or password is wrong')).toBeVisible()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Password').fill('right horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/fleet/)
  })

  it('the first visitor creates the owner with the secret from the address', async ({ server, page }) => {
    server.setAccount('setup')
    await page.goto(`${server.url}/fleet`)
    await expect(page.getByText('No owner account exists yet')).toBeVisible()
    await page.goto(`${server.url}/setup#s3cret`)
    await page.reload()
    await page.getByRole('button', { name: 'Create owner and start' }).click()
    await expect(page.getByText('Enter a name.')).toBeVisible()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Create owner and start' }).click()
    await expect(page).toHaveURL(/\/fleet/)
  })
})
