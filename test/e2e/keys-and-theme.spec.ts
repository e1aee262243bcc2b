import { expect, type Page } from '@playwright/test'
import { visitorWith } from '../support/console-browser.ts'
import { consoleTest as it, settled } from '../support/console-page-test.ts'

interface Stop {
  readonly name: string
  readonly ring: number
  /** The element had the focus before: the way around is complete. */
  readonly again: boolean
}

/** Presses Tab until the focus leaves the page or comes back; the elements on the way are marked in the page. */
async function tabAround(page: Page): Promise<Stop[]> {
  const stops: Stop[] = []
  for (let step = 0; step < 150; step++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate((): Stop | null => {
      const node = document.activeElement
      if (!(node instanceof HTMLElement) || node === document.body) return null
      const { outlineStyle, outlineWidth } = getComputedStyle(node)
      const again = node.dataset.tabbed !== undefined
      node.dataset.tabbed = ''
      return {
        name: `${node.outerHTML.slice(0, 200)} ${node.textContent.trim()}`,
        ring: outlineStyle === 'none' ? 0 : Number.parseFloat(outlineWidth),
        again,
      }
    })
    if (stop === null || stop.again) return stops
    stops.push(stop)
  }
  throw new Error('Tab goes on for ever')
}

/** What a pointer can use and Tab did not reach. Of a group of radio buttons or tabs, Tab reaches one. */
const untabbed = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')]
      .filter((node) => node.checkVisibility() && node.tabIndex >= 0 && !node.matches(':disabled, [type=radio]'))
      .filter((node) => node.dataset.tabbed === undefined)
      .map((node) => node.outerHTML.slice(0, 160)),
  )

const tabbed = {
  Fleet: { path: '/fleet', words: ['Skip to content', 'href="/flash"', 'Filter boards', '/devices/virtual-1/live'] },
  'Device Live': {
    path: '/devices/virtual-1/live',
    words: ['Skip to content', 'Identify', 'More actions', 'Use a sample sentence'],
  },
  Server: {
    path: '/server',
    words: ['Skip to content', 'href="/flash"', 'Copy CA fingerprint', 'href="/ca"', 'Open for 15 minutes'],
  },
}
for (const [name, { path, words }] of Object.entries(tabbed))
  it(`Tab reaches every control of the ${name} page once around, each with a visible ring`, async ({
    server,
    page,
  }) => {
    await page.goto(server.url + path)
    await settled(page)
    const stops = await tabAround(page)
    expect(stops.filter(({ ring }) => ring < 2)).toEqual([])
    expect(await untabbed(page)).toEqual([])
    for (const word of words) expect(stops.map((stop) => stop.name)).toContainEqual(expect.stringContaining(word))
  })

/** The colours that the theme's tokens give an element of the page, by token. */
const painted = (page: Page) =>
  page.evaluate(() => {
    const tokens = ['--c-canvas', '--c-surface', '--c-ink', '--c-accent', '--c-tts']
    const probe = document.body.appendChild(document.createElement('i'))
    const colors = tokens.map((token) => {
      probe.style.color = `var(${token})`
      return getComputedStyle(probe).color
    })
    probe.remove()
    return [...colors, getComputedStyle(document.body).backgroundColor]
  })

it('the switch and the system setting give the same light and the same dark', async ({ server, browser }) => {
  const found: Record<string, string[]> = {}
  for (const scheme of ['light', 'dark'] as const) {
    for (const theme of ['system', 'light', 'dark'] as const) {
      const context = await visitorWith(browser, { theme, language: 'en' })
      const page = await context.newPage()
      await page.emulateMedia({ colorScheme: scheme })
      await page.goto(`${server.url}/server`)
      await settled(page)
      found[`${theme} on ${scheme}`] = await painted(page)
      await context.close()
    }
  }
  const light = ['245, 246, 248', '255, 255, 255', '20, 24, 31', '36, 87, 214', '201, 79, 196', '245, 246, 248']
  const dark = ['15, 18, 23', '23, 27, 34', '232, 235, 240', '122, 162, 255', '219, 46, 125', '15, 18, 23']
  const rgb = (colors: string[]) => colors.map((color) => `rgb(${color})`)
  expect(found).toEqual({
    'system on light': rgb(light),
    'light on light': rgb(light),
    'dark on light': rgb(dark),
    'system on dark': rgb(dark),
    'light on dark': rgb(light),
    'dark on dark': rgb(dark),
  })
})
