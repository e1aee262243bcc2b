import { AppError, toAppError } from '../../../base/app-error.ts'
import { withDeadline } from '../../../base/deadline.ts'
import type { Child, Launcher } from '../../../base/launcher.ts'
import { type FromRecogniser, lanesPerProcess, type ToRecogniser } from './asr-messages.ts'
import type { HeardText, UtteranceStart } from './lane.ts'

const readyWithinMs = 20_000
const answerWithinMs = 10_000
export interface Utterance {
  push(pcm: Int16Array): void
  /** Rejects voice-recogniser-stopped when the process died. */
  finish(): Promise<HeardText>
  cancel(): void
}

/** One recogniser process from start to end; it is never started again, a new one takes its place. */
export interface RecogniserProcess {
  /** Rejects voice-recogniser-missing (nothing installed) or -stopped (it died first). */
  readonly ready: Promise<void>
  readonly ended: Promise<void>
  hasFreeLane(): boolean
  openCount(): number
  /** Grammars that it has loaded so far. */
  swaps(): number
  lookup(words: readonly string[]): Promise<readonly string[]>
  open(start: UtteranceStart, onPartial: (text: string) => void): Utterance
  kill(): void
}

interface Waiting {
  readonly onPartial: (text: string) => void
  readonly answer: PromiseWithResolvers<HeardText>
}

const stopped = (why: string): AppError => new AppError('voice-recogniser-stopped', why)

/** Everything that waits for a word from the process. */
function createLedger() {
  const lookups = new Map<number, PromiseWithResolvers<readonly string[]>>()
  const utterances = new Map<number, Waiting>()
  let swaps = 0
  return {
    lookups,
    utterances,
    swaps: () => swaps,
    receive(message: Exclude<FromRecogniser, { type: 'ready' | 'missing' }>): void {
      switch (message.type) {
        case 'looked-up':
          lookups.get(message.id)?.resolve(message.known)
          lookups.delete(message.id)
          return
        case 'partial':
          utterances.get(message.id)?.onPartial(message.text)
          return
        case 'final':
          swaps = message.swaps
          utterances.get(message.id)?.answer.resolve(message)
          utterances.delete(message.id)
          return
        case 'failed':
          lookups.get(message.id)?.reject(stopped(message.message))
          utterances.get(message.id)?.answer.reject(stopped(message.message))
          utterances.delete(message.id)
      }
    },
    fail(error: AppError): void {
      for (const { reject } of lookups.values()) reject(error)
      for (const { answer } of utterances.values()) answer.reject(error)
      lookups.clear()
      utterances.clear()
    },
  }
}

export function startRecogniser(launcher: Launcher): RecogniserProcess {
  const ready = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<undefined>()
  const ledger = createLedger()
  let isEnded = false
  let child: Child | undefined
  let lastId = 0

  function end(error: AppError): void {
    if (isEnded) return
    isEnded = true
    ready.reject(error)
    ledger.fail(error)
    child?.kill(true)
    ended.resolve(undefined)
  }
  function receive(message: FromRecogniser): void {
    if (message.type === 'ready') ready.resolve(undefined)
    else if (message.type === 'missing') end(new AppError('voice-recogniser-missing', message.message))
    else ledger.receive(message)
  }
  async function launch(): Promise<void> {
    try {
      const launched = await launcher.launch('asr')
      child = launched
      launched.onMessage((message) => receive(message as FromRecogniser))
      launched.onExit(({ code }) => end(stopped(`The recogniser process ended with code ${code ?? 'none'}`)))
      if (isEnded) launched.kill(true)
    } catch (cause) {
      end(new AppError('voice-recogniser-stopped', 'The recogniser process did not start', { cause }))
    }
  }
  const inTime = withDeadline(ready.promise, readyWithinMs, {
    code: 'voice-recogniser-stopped',
    message: 'The recogniser did not start in time',
  })
  // A start that hangs ends the process; whoever asks later still gets the reason.
  inTime.catch((error: unknown) => end(toAppError(error)))
  void launch()
  const calls = createCalls({
    ledger,
    post: (message) => child?.post(message),
    isEnded: () => isEnded,
    end,
    nextId: () => ++lastId,
  })
  return {
    ready: inTime,
    ended: ended.promise,
    hasFreeLane: () => !isEnded && ledger.utterances.size < lanesPerProcess,
    openCount: () => ledger.utterances.size,
    swaps: () => ledger.swaps(),
    ...calls,
    kill: () => end(stopped('The recogniser was stopped')),
  }
}

function createCalls(process: {
  readonly ledger: ReturnType<typeof createLedger>
  post(message: ToRecogniser): void
  isEnded(): boolean
  end(error: AppError): void
  nextId(): number
}): Pick<RecogniserProcess, 'lookup' | 'open'> {
  const { ledger } = process
  /** A call that native code never returns from ends with the process. */
  async function orKill<T>(promise: Promise<T>): Promise<T> {
    const hung = AbortSignal.timeout(answerWithinMs)
    const kill = (): void => process.end(stopped('The recogniser does not answer'))
    hung.addEventListener('abort', kill)
    try {
      return await promise
    } finally {
      hung.removeEventListener('abort', kill)
    }
  }
  return {
    lookup(words) {
      if (process.isEnded()) return Promise.reject(stopped('The recogniser process has ended'))
      const id = process.nextId()
      const answer = Promise.withResolvers<readonly string[]>()
      ledger.lookups.set(id, answer)
      process.post({ type: 'lookup', id, words })
      return orKill(answer.promise)
    },
    open(start, onPartial) {
      const id = process.nextId()
      const answer = Promise.withResolvers<HeardText>()
      // The stream may be cancelled, so that nobody reads this.
      answer.promise.catch(() => undefined)
      if (process.isEnded()) answer.reject(stopped('The recogniser process has ended'))
      else ledger.utterances.set(id, { onPartial, answer })
      process.post({ type: 'start', id, ...start })
      return {
        push: (pcm) =>
          process.post({ type: 'audio', id, pcm: new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength) }),
        finish() {
          process.post({ type: 'finish', id })
          return orKill(answer.promise)
        },
        cancel() {
          if (!ledger.utterances.delete(id)) return
          process.post({ type: 'cancel', id })
          answer.resolve({ text: '', confidence: 0 })
        },
      }
    },
  }
}
