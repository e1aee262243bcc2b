import { ref, shallowRef } from 'vue'
import { toProblem, type Problem } from '../client/problem.ts'

/** A call that a person started: busy while it runs, and its problem stays beside the control that failed. */
export function useAction<A extends unknown[], R>(work: (...args: A) => Promise<R>) {
  const busy = ref(false)
  const problem = shallowRef<Problem | null>(null)

  /** Resolves to null when it failed; the reason is in `problem`. */
  async function run(...args: A): Promise<R | null> {
    busy.value = true
    problem.value = null
    try {
      return await work(...args)
    } catch (error) {
      problem.value = toProblem(error)
      return null
    } finally {
      busy.value = false
    }
  }

  return { busy, problem, run }
}
