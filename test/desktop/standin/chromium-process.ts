import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright'
import { chromiumArgs, chromiumPath } from '../../support/chromium.ts'

export interface Chromium {
  /** Where a second client (the test) connects. */
  readonly endpoint: string
  readonly context: BrowserContext
  close(): Promise<void>
}

/**
 * Debian's Chromium without a window of its own. It is driven over the port; the pipe is there because Chromium ends
 * when its pipe does, so that even a killed stand-in leaves none behind (tried with SIGKILL).
 */
export async function startChromium(): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), 'roost-standin-'))
  const own = [
    '--headless',
    '--no-startup-window',
    '--disable-popup-blocking',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    `--user-data-dir=${profile}`,
    '--remote-debugging-port=0',
    '--remote-debugging-pipe',
  ]
  const child = spawn(chromiumPath, [...chromiumArgs(), ...own], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const endpoint = await readEndpoint(child)
  const browser = await chromium.connectOverCDP(endpoint)
  const context = browser.contexts()[0]
  if (!context) throw new Error('Chromium has no default context')
  return {
    endpoint,
    context,
    async close() {
      await browser.close().catch(() => undefined)
      child.kill('SIGKILL')
      await gone
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}

function readEndpoint(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`Chromium ended with ${String(code)}: ${text}`)))
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-10_000)
      const found = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
      if (found) resolve(found)
    })
  })
}
