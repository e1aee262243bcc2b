import { AppError } from '../../../base/app-error.ts'
import { pause } from '../../../base/deadline.ts'
import type { Child, Launcher } from '../../../base/launcher.ts'
import type { Log } from '../../../base/log.ts'
import { samplesFrom } from './wav.ts'
import type { FromSynthesiser, ToSynthesiser } from './tts-messages.ts'

const answerWithinMs = 15_000
const longestQueue = 200
const shortLifeMs = 5000
const shortLivesAtOnce = 3
const retryAfterMs = 5000

/** The English synthesiser in its own process, which is started again whenever it ends. */
export interface Synthesiser {
  /** Once it can speak at once; never rejects: what fails is told by speak. */
  ready(): Promise<void>
  /** One short sentence → 16 kHz mono. Rejects voice-synthesis-failed; after an abort too, and nobody should care. */
  speak(text: string, signal: AbortSignal): Promise<Int16Array>
  close(): Promise<void>
}

interface Life {
  readonly ready: PromiseWithResolvers<undefined>
  readonly waiting: Map<number, PromiseWithResolvers<Int16Array>>
  child: Child | undefined
  hasEnded: boolean
}

const failed = (why: string): AppError => new AppError('voice-synthesis-failed', why)

export function createSynthesiser(options: { launcher: Launcher; log: Log }): Synthesiser {
  const closing = new AbortController()
  let lastId = 0
  let shortLives = 0
  let life = begin()

  function begin(): Life {
    const own: Life = { ready: Promise.withResolvers(), waiting: new Map(), child: undefined, hasEnded: false }
    void run(own)
    return own
  }
  async function run(own: Life): Promise<void> {
    const startedAt = performance.now()
    const ended = Promise.withResolvers<undefined>()
    try {
      const child = await options.launcher.launch('tts')
      own.child = child
      child.onMessage((message) => receive(own, message as FromSynthesiser))
      child.onExit(() => ended.resolve(undefined))
      if (closing.signal.aborted) child.kill(true)
      await ended.promise
    } catch (error) {
      options.log.warn('the voice process did not start', { error })
    }
    own.hasEnded = true
    own.ready.resolve(undefined)
    for (const { reject } of own.waiting.values()) reject(failed('The voice process ended while it spoke'))
    own.waiting.clear()
    if (closing.signal.aborted) return
    shortLives = performance.now() - startedAt < shortLifeMs ? shortLives + 1 : 0
    options.log.warn('the voice process ended; starting it again', { shortLives })
    if (shortLives > shortLivesAtOnce) await pause(retryAfterMs, closing.signal)
    if (!isClosed()) life = begin()
  }
  const isClosed = (): boolean => closing.signal.aborted

  return {
    ready: () => life.ready.promise,
    async speak(text, signal) {
      const own = life
      await own.ready.promise
      if (own.hasEnded || isClosed()) throw failed('The voice process is not running')
      if (own.waiting.size >= longestQueue) throw failed('Too many sentences are waiting for the voice')
      const id = ++lastId
      return ask({ own, id, message: { type: 'speak', id, text }, signal })
    },
    async close() {
      closing.abort()
      life.child?.kill(true)
      await life.ready.promise
    },
  }
}

function receive(own: Life, message: FromSynthesiser): void {
  switch (message.type) {
    case 'ready':
      own.ready.resolve(undefined)
      return
    case 'spoken':
      own.waiting.get(message.id)?.resolve(samplesFrom(message.pcm))
      break
    case 'failed':
      own.waiting.get(message.id)?.reject(failed(message.message))
  }
  own.waiting.delete(message.id)
}

interface Question {
  readonly own: Life
  readonly id: number
  readonly message: ToSynthesiser
  readonly signal: AbortSignal
}

async function ask({ own, id, message, signal }: Question): Promise<Int16Array> {
  const answer = Promise.withResolvers<Int16Array>()
  own.waiting.set(id, answer)
  own.child?.post(message)
  const cancel = (): void => {
    if (!own.waiting.delete(id)) return
    own.child?.post({ type: 'cancel', id } satisfies ToSynthesiser)
    answer.reject(failed('Cancelled'))
  }
  // A synthesis that never returns ends with its process.
  const hung = setTimeout(() => own.child?.kill(true), answerWithinMs)
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  try {
    return await answer.promise
  } finally {
    clearTimeout(hung)
    signal.removeEventListener('abort', cancel)
  }
}
