import { watch } from 'vue'
import { useServerStore } from './server.ts'

/** Runs now if the socket is open, else when it opens, and again after every cut: what is shown is then fresh. */
export function useWhenOnline(load: () => unknown): void {
  const server = useServerStore()
  watch(
    () => server.online,
    (online) => {
      if (online) load()
    },
    { immediate: true },
  )
}
