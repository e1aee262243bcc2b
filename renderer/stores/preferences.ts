import { defineStore } from 'pinia'
import { ref, watch } from 'vue'

export type Theme = 'system' | 'light' | 'dark'
export type UiLanguage = 'en' | 'zh-CN'
export type FleetView = 'grid' | 'table'

interface Saved {
  theme?: Theme
  language?: UiLanguage
  fleetView?: FleetView
  letterKeys?: boolean
  welcomed?: boolean
}

// public/theme.js reads the same key before the first paint.
const KEY = 'roost.preferences'

function read(): Saved {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Saved
  } catch {
    return {}
  }
}

/** What one person likes on one computer: saved at the change, not when the page closes. */
export const usePreferencesStore = defineStore('preferences', () => {
  const saved = read()
  const theme = ref<Theme>(saved.theme ?? 'system')
  const language = ref<UiLanguage>(saved.language ?? (/^zh\b/i.test(navigator.language) ? 'zh-CN' : 'en'))
  const fleetView = ref<FleetView>(saved.fleetView ?? 'grid')
  /** Single-letter shortcuts can be switched off (WCAG 2.1.4). */
  const letterKeys = ref(saved.letterKeys ?? true)
  /** The call-outs of the first turn were closed. */
  const welcomed = ref(saved.welcomed ?? false)

  watch([theme, language, fleetView, letterKeys, welcomed], () => {
    const value: Saved = {
      theme: theme.value,
      language: language.value,
      fleetView: fleetView.value,
      letterKeys: letterKeys.value,
      welcomed: welcomed.value,
    }
    try {
      localStorage.setItem(KEY, JSON.stringify(value))
    } catch {
      // A page without storage keeps its preferences until it closes.
    }
  })

  return { theme, language, fleetView, letterKeys, welcomed }
})
