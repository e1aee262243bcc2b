import { createI18n } from 'vue-i18n'
import type { UiLanguage } from '../stores/preferences.ts'

export const i18n = createI18n({
  legacy: false,
  locale: 'en',
  fallbackLocale: 'en',
  missingWarn: false,
  fallbackWarn: false,
})

const sources = {
  en: () => import('../locales/en.json'),
  'zh-CN': () => import('../locales/zh-CN.json'),
}

/** Loads a language once, then switches everything to it without a reload. */
export async function useLanguage(language: UiLanguage): Promise<void> {
  if (
    !i18n.global.availableLocales.includes(language) ||
    Object.keys(i18n.global.getLocaleMessage(language)).length === 0
  ) {
    const messages = await sources[language]()
    i18n.global.setLocaleMessage(language, messages.default)
  }
  i18n.global.locale.value = language
  document.documentElement.lang = language
}
