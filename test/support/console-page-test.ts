import AxeBuilder from '@axe-core/playwright'
import { expect, test, type Page } from '@playwright/test'
import { visitorWith, type Look } from './console-browser.ts'
import { startConsoleServer, type ConsoleServer } from './console-server.ts'
import type { WorldName } from './console-world.ts'

// Test support: a page of the console before a scripted server; errors of the page fail the test.

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const look: Look = { theme: 'light', language: 'en' }

export async function violations(page: Page): Promise<string[]> {
  const result = await new AxeBuilder({ page }).withTags(tags).analyze()
  return result.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}`))
}

export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor({ state: 'attached' })
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
}

interface Parts {
  readonly world: WorldName
  readonly server: ConsoleServer
  readonly page: Page
  /** Opens an address of the console and waits until it is drawn. */
  readonly open: (path: string) => Promise<void>
}

export const consoleTest = test.extend<Parts>({
  world: ['busy', { option: true }],
  server: async ({ world }, use) => {
    const server = await startConsoleServer(world)
    await use(server)
    await server.close()
  },
  page: async ({ browser }, use) => {
    const context = await visitorWith(browser, look)
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/WebSocket connection|ERR_|401|503/.test(message.text()))
        errors.push(message.text())
    })
    await use(page)
    expect(errors).toEqual([])
    await context.close()
  },
  open: async ({ page, server }, use) => {
    await use(async (path) => {
      await page.goto(server.url + path)
      await settled(page)
    })
  },
})
