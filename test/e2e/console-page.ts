import { expect, test, type Page } from '@playwright/test'
import { visitorWith, type Look } from '../support/console-browser.ts'
import { startConsoleServer, type ConsoleServer } from '../support/console-server.ts'
import type { WorldName } from '../support/console-world.ts'

export async function settled(page: Page) {
  await page.locator('main h1').waitFor({ state: 'attached' })
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
}

/** Errors of the page and of its policy are failures, whatever the test looks at. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('WebSocket connection')) errors.push(message.text())
  })
  return errors
}

export const look: Look = { theme: 'light', language: 'en' }
/** A visitor of a console with boards; `world` says which. */
export const it = test.extend<{ server: ConsoleServer; visitor: Page; world: WorldName }>({
  world: ['busy', { option: true }],
  server: async ({ world }, use) => {
    const server = await startConsoleServer(world)
    await use(server)
    await server.close()
  },
  visitor: async ({ browser }, use) => {
    const context = await visitorWith(browser, look)
    const page = await context.newPage()
    const errors = watchErrors(page)
    await use(page)
    expect(errors.filter((text) => !/ERR_|503|401/.test(text))).toEqual([])
    await context.close()
  },
})
