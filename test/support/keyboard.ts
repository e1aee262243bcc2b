import { expect, type Page } from '@playwright/test'

type Role = 'button' | 'checkbox' | 'combobox' | 'link' | 'option' | 'radio' | 'switch' | 'tab' | 'textbox'

/**
 * A person without a pointer: everything here is a key press, and what the Tab key does not reach is not reached.
 */
export function createKeyboard(page: Page) {
  const press = (key: string) => page.keyboard.press(key)

  /** Tabs until the control has the focus, up or down as it lies. Throws when no way leads there. */
  async function tabTo(name: string | RegExp, role: Role = 'textbox'): Promise<void> {
    const wanted = page.getByRole(role, { name, exact: true }).last()
    await expect(wanted).toBeEnabled()
    const isAbove = await wanted.evaluate(
      (node) => (document.activeElement?.compareDocumentPosition(node) ?? 0) & Node.DOCUMENT_POSITION_PRECEDING,
    )
    for (let step = 0; step < 150; step++) {
      if (await wanted.evaluate((node) => node === document.activeElement)) return
      await press(isAbove ? 'Shift+Tab' : 'Tab')
    }
    throw new Error(`The Tab key does not reach ${role} ${String(name)}`)
  }

  return {
    press,
    tabTo,
    type: (text: string) => page.keyboard.type(text),
    async push(name: string | RegExp, role: Role = 'button'): Promise<void> {
      await tabTo(name, role)
      await press('Enter')
    },
    async fill(name: string | RegExp, text: string): Promise<void> {
      await tabTo(name)
      await press('Control+a')
      await page.keyboard.type(text)
    },
    /** A list is set by typing the beginning of an entry. */
    async pick(name: string | RegExp, text: string): Promise<void> {
      await tabTo(name, 'combobox')
      await page.keyboard.type(text)
    },
    /** By the palette: opened by keys, found by typing. */
    async goTo(words: string): Promise<void> {
      await press('Control+k')
      await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused()
      await page.keyboard.type(words)
      await press('Enter')
    },
    /** Tabs of a strip are changed by the arrows. */
    async panel(from: string, to: string): Promise<void> {
      await tabTo(from, 'tab')
      for (let step = 0; step < 8; step++) {
        if ((await page.getByRole('tab', { name: to, exact: true }).getAttribute('aria-selected')) === 'true') return
        await press('ArrowRight')
      }
      throw new Error(`The arrows do not reach the tab ${to}`)
    },
  }
}
