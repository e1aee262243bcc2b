import { computed, watch } from 'vue'
import { useTurnsStore } from './turns.ts'

/** Reads again what a voice may have changed: after each turn, of any board, that called something. */
export function useAfterTurns(read: () => unknown): void {
  const turns = useTurnsStore()
  const called = computed(() =>
    turns.live
      .filter(({ status, calls }) => status !== 'running' && calls.length > 0)
      .map(({ id }) => id)
      .join(),
  )
  watch(called, () => void read())
}
