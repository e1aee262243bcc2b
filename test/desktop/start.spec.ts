import { expect, test } from '@playwright/test'
import { type DesktopApp, startDesktop } from './desktop-app.ts'

let desktop: DesktopApp
test.beforeAll(async () => {
  desktop = await startDesktop()
})
test.afterAll(async () => desktop.stop())

test('the window shows the console, signed in without an account', async () => {
  const page = await desktop.page()
  await expect(page.locator('main h1')).toBeVisible({ timeout: 30_000 })
})
