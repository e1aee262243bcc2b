import { chromium, type Browser, type BrowserContext } from '@playwright/test'
import type { Theme, UiLanguage } from '../../renderer/stores/preferences.ts'
import { chromiumArgs, chromiumPath } from './chromium.ts'

/** The machine's own Chromium, kept from talking to anybody. */
export const launchOptions = { executablePath: chromiumPath, args: chromiumArgs() }

export const launchBrowser = (): Promise<Browser> => chromium.launch(launchOptions)

export interface Look {
  readonly theme: Theme
  readonly language: UiLanguage
  readonly width?: number
  readonly height?: number
}

/** A fresh visitor whose preferences are already chosen. */
export async function visitorWith(browser: Browser, look: Look): Promise<BrowserContext> {
  const { theme, language, width = 1440, height = 900 } = look
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await context.addInitScript((saved) => {
    if (localStorage.getItem('roost.preferences') === null) localStorage.setItem('roost.preferences', saved)
  }, JSON.stringify({ theme, language }))
  return context
}

/** The pages of the console with something on them, by name. */
export const pages = {
  fleet: '/fleet',
  flash: '/flash',
  live: '/devices/virtual-1/live',
  tools: '/devices/virtual-1/tools',
  boardTelemetry: '/devices/virtual-1/telemetry',
  conversations: '/conversations',
  toolList: '/toolbox',
  toolEditor: '/toolbox/tool/set_lamp',
  toolVersions: '/toolbox/tool/set_lamp?tab=versions',
  toolCalls: '/toolbox/tool/set_lamp?tab=calls',
  toolAccess: '/toolbox/access',
  toolConnections: '/toolbox/connections',
  things: '/things',
  thing: '/things/desk_lamp',
  thingTools: '/things/class_air?panel=tools',
  thingCode: '/things/class_air?panel=code',
  thingVersions: '/things/desk_lamp?panel=versions',
  boardThings: '/devices/virtual-1/things',
  uart: '/uart',
  alarms: '/helpers/alarms',
  notes: '/helpers/notes',
  calendar: '/helpers/calendar',
  music: '/helpers/music',
  announce: '/helpers/announce',
  telemetry: '/trends',
  server: '/server',
  nowhere: '/nowhere',
} as const
