import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test, type Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'
import { visitorWith, type Look } from './console-browser.ts'
import { startConsoleServer, type ConsoleServer } from './console-server.ts'
import type { WorldName } from './console-world.ts'

// Test support: a page of the console before a scripted server; errors of the page fail the test.

declare global {
  interface Window {
    axe?: { run(where: Document, options: RunOptions): Promise<AxeResults> }
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Every rule of WCAG 2.2 A and AA. */
const everyRule = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] } as const
/** The rules that look at colours: all that another theme can break. */
export const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const
export const look: Look = { theme: 'light', language: 'en' }

/** What axe finds. It is put into a page once: put in anew for each look, it took most of the time. */
export async function violations(page: Page, rules: typeof everyRule | typeof colourRules = everyRule) {
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axeSource)
  return page.evaluate(async ({ type, values }) => {
    const { axe } = window
    if (!axe) throw new Error('axe is not in the page')
    const found = await axe.run(document, { runOnly: { type, values: [...values] }, resultTypes: ['violations'] })
    return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}`))
  }, rules)
}

export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor({ state: 'attached' })
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
}

/** Errors of the page and of its policy are failures, whatever the test looks at. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/WebSocket connection|ERR_|401|503/.test(message.text())) {
      errors.push(message.text())
    }
  })
  return errors
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
    const errors = watchErrors(page)
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
