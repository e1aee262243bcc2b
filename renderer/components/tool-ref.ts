import { useI18n } from 'vue-i18n'
import { refLabel } from '../../electron/contract/tool.ts'

/** `name@version` as people read it: a draft that is only being tried has no number to speak of. */
export function useRefLabel(): (ref: string) => string {
  const { t } = useI18n()
  return (ref) => (refLabel(ref) === ref ? ref : t('turn.draftRef', { name: ref.slice(0, ref.lastIndexOf('@')) }))
}
