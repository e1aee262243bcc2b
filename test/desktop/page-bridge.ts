import type { Page } from '@playwright/test'

/** Calls `window.desktop` as the page would; a refusal comes back as its message. */
export function callBridge(page: Page, name: string, input?: unknown): Promise<unknown> {
  return page.evaluate(
    async ([called, given]) => {
      const { desktop } = globalThis as unknown as { desktop: { call(name: string, input: unknown): Promise<unknown> } }
      try {
        return await desktop.call(String(called), given)
      } catch (error) {
        return `refused: ${(error as Error).message}`
      }
    },
    [name, input],
  )
}

/** Who the server says is signed in in this window; null when nobody is. */
export function accountOf(page: Page): Promise<unknown> {
  return page.evaluate(async () => {
    const state = (await (await fetch('/auth/state')).json()) as { account: unknown }
    return state.account
  })
}
