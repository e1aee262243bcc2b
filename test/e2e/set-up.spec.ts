import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, expect, type Page, test } from '@playwright/test'
import { type BundledServer, owner, startBundledServer } from '../support/bundled-server.ts'
import { launchOptions } from '../support/console-browser.ts'

let server: BundledServer
test.beforeEach(async () => {
  server = await startBundledServer([], { withOwner: false })
})
test.afterEach(() => server.close())

async function makeOwner(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('input[name=name]').fill(owner.name)
  await page.locator('input[name=password]').fill(owner.password)
  await page.getByRole('button', { name: /^Create/ }).click()
  await expect(page.getByRole('button', { name: 'Try without a board' })).toBeVisible()
}

test('the printed address makes the owner account, once', async ({ page }) => {
  const address = `${server.loopback}/setup${new URL(server.setupUrl!).search}`
  await makeOwner(page, address)
  await page.goto(address)
  await expect(page.locator('input[name=password]')).toHaveCount(0)
})

test('a browser that trusts the CA makes the owner over TLS, checked by the browser itself', async () => {
  // A home of its own, so that only this browser trusts this server.
  const home = mkdtempSync(join(tmpdir(), 'roost-nss-'))
  const nss = `sql:${join(home, '.pki', 'nssdb')}`
  mkdirSync(join(home, '.pki', 'nssdb'), { recursive: true })
  execFileSync('certutil', ['-d', nss, '-N', '--empty-password'])
  execFileSync('certutil', ['-d', nss, '-A', '-t', 'C,,', '-n', 'roost', '-i', server.caPath])
  const browser = await chromium.launch({ ...launchOptions, env: { HOME: home, PATH: '/usr/bin:/bin' } })
  try {
    const page = await browser.newPage({ locale: 'en-US' })
    await makeOwner(page, `${server.https}/setup${new URL(server.setupUrl!).search}`)
    expect(await page.evaluate(() => window.isSecureContext)).toBe(true)
    await expect(page.goto(server.https.replace('localhost', '127.0.0.2'))).rejects.toThrow(/ERR_CERT|ERR_CONNECTION/)
  } finally {
    await browser.close()
    rmSync(home, { recursive: true, force: true })
  }
})
