import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { ref, watch, type Ref } from 'vue'

/** performance.now(), renewed every `everyMs` while `active` and while somebody can see the page. */
export function useTicker(everyMs: number, active: Ref<boolean> = ref(true)): Ref<number> {
  const now = ref(performance.now())
  const visibility = useDocumentVisibility()
  const { pause, resume } = useIntervalFn(() => (now.value = performance.now()), everyMs, { immediate: false })
  watch(
    [active, visibility],
    () => {
      now.value = performance.now()
      if (active.value && visibility.value === 'visible') resume()
      else pause()
    },
    { immediate: true },
  )
  return now
}
