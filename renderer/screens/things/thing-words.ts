import { useI18n } from 'vue-i18n'
import { errorText, isErrorCode } from '../../../electron/contract/errors.ts'
import type { ThingChange, ThingProblem } from '../../../electron/contract/thing.ts'

const filled = (text: string, detail: Readonly<Record<string, string | number>>) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => (name in detail ? String(detail[name]) : whole))

/** Sentences for what the server says about a model: codes of the catalogue, or of the page, else the code itself. */
export function useThingWords() {
  const i18n = useI18n()
  const { t } = i18n
  const language = () => (i18n.locale.value === 'zh-CN' ? ('zh-CN' as const) : ('en' as const))
  const plain = (code: string) => code.replaceAll('-', ' ')

  function problem({ code, detail }: ThingProblem): string {
    if (isErrorCode(code)) return filled(errorText(code, language()).headline, detail)
    const facts = Object.values(detail).join(', ')
    const text = i18n.te(`things.problem.${code}`) ? t(`things.problem.${code}`) : plain(code)
    return facts === '' ? text : `${text} (${facts})`
  }
  function change({ code }: Pick<ThingChange, 'code'>): string {
    if (isErrorCode(code)) return errorText(code, language()).headline
    return i18n.te(`things.change.${code}`) ? t(`things.change.${code}`) : plain(code)
  }
  /** A value of a change in few words; a whole member by its name. */
  function brief(value: unknown): string {
    if (value === undefined || value === null) return '—'
    if (typeof value === 'object' && 'name' in value && typeof value.name === 'string') return value.name
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return text.length > 60 ? `${text.slice(0, 57)}…` : text
  }
  return { problem, change, brief }
}
