import { defineStore } from 'pinia'
import { ref } from 'vue'
import { toProblem, type Problem } from '../client/problem.ts'

export interface Notice {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
  readonly problem: Problem | null
  readonly to: string | null
}

const SHOWN_MS = 8_000

/** Toasts: only results of something that was started on another screen or has no place of its own (ux.md B5). */
export const useNoticesStore = defineStore('notices', () => {
  const notices = ref<Notice[]>([])
  let nextId = 1

  function close(id: number) {
    notices.value = notices.value.filter((notice) => notice.id !== id)
  }

  function add(notice: Omit<Notice, 'id'>) {
    const id = nextId++
    notices.value = [...notices.value.slice(-3), { ...notice, id }]
    // A failure stays until it was read.
    if (notice.kind === 'done') setTimeout(() => close(id), SHOWN_MS)
  }

  const done = (text: string, to: string | null = null) => add({ kind: 'done', text, problem: null, to })
  const failed = (text: string, error: unknown) => add({ kind: 'failed', text, problem: toProblem(error), to: null })

  return { notices, close, done, failed }
})
