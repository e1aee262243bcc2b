import type { BrowserContext, CDPSession, Page } from 'playwright'
import { linkPreload } from './page-link.ts'

/** What a window's page asks of the window's guards. Each answer is main's. */
export interface PageGuards {
  /** A navigation that the page began, or a hop of a redirect: false keeps the page where it is. */
  mayNavigate(url: string, how: 'navigate' | 'redirect'): boolean
  /** Told of a popup; it is closed right after it opened. */
  popup(url: string, frameName: string): void
  loaded(): void
  crashed(): void
}

export interface WindowPage {
  /** By main's own wish, which no guard is asked about. Rejects with Chromium's words. */
  load(url: string): Promise<void>
  url(): string
  close(): Promise<void>
}

export interface PageOptions {
  readonly context: BrowserContext
  readonly preload: string
  readonly size: { readonly width: number; readonly height: number }
}

/** A page of Chromium as the inside of a BrowserWindow. */
export async function openWindowPage(options: PageOptions, guards: PageGuards): Promise<WindowPage> {
  const page = await options.context.newPage()
  await page.setViewportSize({ ...options.size })
  const cdp = await options.context.newCDPSession(page)
  await linkPreload(page, cdp, options.preload)
  const loading = { own: false }
  await guardDocuments({ page, cdp, loading }, guards)
  await guardPopups(cdp, guards, page)
  page.on('load', () => guards.loaded())
  page.on('crash', () => guards.crashed())
  return {
    async load(url) {
      loading.own = true
      await page.goto(url)
    },
    url: () => page.url(),
    close: () => page.close(),
  }
}

interface Guarded {
  readonly page: Page
  readonly cdp: CDPSession
  /** Set while main itself loads: the first request of a document is then not the page's wish. */
  readonly loading: { own: boolean }
}

/** Every document request of the main frame waits here; Playwright's own routes would not see redirects. */
async function guardDocuments({ cdp, loading }: Guarded, guards: PageGuards): Promise<void> {
  const { frameTree } = await cdp.send('Page.getFrameTree')
  cdp.on('Fetch.requestPaused', ({ requestId, request, frameId, redirectedRequestId }) => {
    const pass = () => cdp.send('Fetch.continueRequest', { requestId }).catch(() => undefined)
    if (frameId !== frameTree.frame.id) return void pass()
    const own = loading.own && redirectedRequestId === undefined
    if (own) loading.own = false
    const how = redirectedRequestId === undefined ? 'navigate' : 'redirect'
    if (own || guards.mayNavigate(request.url, how)) return void pass()
    cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }).catch(() => undefined)
  })
  await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] })
}

/** The address of a popup is known from the event only: the new page itself is still blank when it appears. */
async function guardPopups(cdp: CDPSession, guards: PageGuards, page: Page): Promise<void> {
  cdp.on('Page.windowOpen', ({ url, windowName }) => guards.popup(url, windowName))
  page.on('popup', (popup) => void popup.close().catch(() => undefined))
  await cdp.send('Page.enable')
}
