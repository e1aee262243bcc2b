import { defineConfig } from '@playwright/test'
import { launchOptions } from './test/support/console-browser.ts'

// One worker: two cores, and every desktop test runs a Chromium, a server and its processes of its own.
export default defineConfig({
  testDir: 'test',
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: { trace: 'retain-on-failure' },
  projects: [
    { name: 'console', testMatch: 'e2e/**/*.spec.ts', use: { browserName: 'chromium', launchOptions } },
    // No Electron can be had everywhere: the built app runs over Chromium with test/desktop/standin in Electron's place.
    { name: 'desktop (stand-in)', testMatch: 'desktop/**/*.spec.ts' },
  ],
})
