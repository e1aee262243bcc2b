import type { Input } from './lane-machine.ts'

/** What the server hears of a board, in whatever order it comes; each wait has its own deadline. */
export function createBoardWait(timeoutMs: number, signal: AbortSignal) {
  const said = new Set<'provisioned' | 'heard'>()
  let told = false
  let wake: (() => void) | undefined

  function ready(): Input | undefined {
    if (said.has('heard')) return { type: 'heard' }
    if (said.has('provisioned') && !told) {
      told = true
      return { type: 'provisioned' }
    }
    return undefined
  }

  function expired(): Input {
    if (signal.aborted)
      return { type: 'expired', failure: { code: 'flash-cancelled', message: 'Nobody waits for the board any more' } }
    const missing = said.has('provisioned') ? 'open a session' : 'ask for its addresses'
    const message = `The board started, but did not ${missing} within ${String(Math.round(timeoutMs / 1000))} s`
    return { type: 'expired', failure: { code: 'flash-not-proved', message } }
  }

  return {
    said(what: 'provisioned' | 'heard'): void {
      said.add(what)
      wake?.()
    },
    /** `heard` from the board wins over `provisioned`. */
    next(): Promise<Input> {
      const now = ready()
      if (now) return Promise.resolve(now)
      return new Promise((resolve) => {
        const finish = (input: Input) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', onAbort)
          wake = undefined
          resolve(input)
        }
        const onAbort = () => finish(expired())
        const timer = setTimeout(() => finish(expired()), timeoutMs)
        signal.addEventListener('abort', onAbort)
        if (signal.aborted) finish(expired())
        else
          wake = () => {
            const input = ready()
            if (input) finish(input)
          }
      })
    },
  }
}
