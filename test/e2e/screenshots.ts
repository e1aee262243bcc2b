import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser, pages, visitorWith, type Look } from '../support/console-browser.ts'
import { startConsoleServer } from '../support/console-server.ts'
import type { WorldName } from '../support/console-world.ts'

// Pictures of every screen for a person to look at: `node test/e2e/screenshots.ts [page …]`. Nothing is compared.
const out = join(tmpdir(), 'roost-screens')
mkdirSync(out, { recursive: true })
const wanted = process.argv.slice(2)
const shown = Object.entries(pages).filter(([screen]) => wanted.length === 0 || wanted.includes(screen))

const looks: Record<string, Look> = {
  light: { theme: 'light', language: 'en' },
  dark: { theme: 'dark', language: 'zh-CN' },
  phone: { theme: 'light', language: 'zh-CN', width: 390, height: 800 },
  tablet: { theme: 'dark', language: 'en', width: 900, height: 1100 },
}
const worlds: WorldName[] = ['empty', 'busy', 'failed']

const browser = await launchBrowser()
for (const world of worlds) {
  const server = await startConsoleServer(world)
  for (const [name, look] of Object.entries(looks)) {
    const context = await visitorWith(browser, look)
    const page = await context.newPage()
    page.on('pageerror', (error) => process.stdout.write(`${world} ${name}: ${error.message}\n`))
    page.on(
      'console',
      (message) =>
        message.type() === 'error' && process.stdout.write(`${world} ${name} ${page.url()}: ${message.text()}\n`),
    )
    for (const [screen, path] of shown) {
      await page.goto(server.url + path)
      await page.locator('main h1').waitFor({ state: 'attached' })
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
      await page.waitForFunction(
        () => document.querySelectorAll('canvas').length >= 0 && document.fonts.status === 'loaded',
      )
      await page.waitForFunction(() => document.getAnimations().every((animation) => animation.playState !== 'running'))
      await page.screenshot({ path: join(out, `${world}-${screen}-${name}.png`) })
    }
    await context.close()
  }
  await server.close()
}
await browser.close()
process.stdout.write(`${out}\n`)
