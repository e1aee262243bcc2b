import { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { ToolVersion } from '../../contract/tool.ts'
import { within } from './bounded.ts'
import type { Hearing, HearingStream, SpokenLanguage } from './providers.ts'

const openMs = 5000
const finishMs = 10_000

export interface Heard {
  readonly text: string
  readonly confidence?: number
  readonly rejected?: string
}

/** One utterance on its way into a recogniser that may still be opening. */
export interface Utterance {
  push(pcm: Int16Array): void
  /** Undefined when it was cancelled. Rejects voice-recogniser-missing / -stopped. */
  finish(): Promise<Heard | undefined>
}

export function openUtterance(options: {
  readonly hearing: Hearing
  readonly vocabulary: Promise<readonly ToolVersion[]>
  readonly phrases: readonly string[]
  readonly language: SpokenLanguage
  readonly onPartial: (text: string, complete: boolean) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}): Utterance {
  const { hearing, signal, clock } = options
  // Until the stream is open. An utterance is cut at 30 s, so this ends at 1 MB.
  const early: Int16Array[] = []
  let stream: HearingStream | undefined
  const bound = (ms: number) => ({ clock, ms, signal, failure: tooSlow })

  async function open(): Promise<HearingStream | undefined> {
    // Asked even where nothing is installed: that is how a recogniser notices that it is now.
    const opening = hearing.open({
      vocabulary: await options.vocabulary,
      phrases: options.phrases,
      language: hearing.languages.includes(options.language) ? options.language : (hearing.languages[0] ?? 'en'),
      onPartial: options.onPartial,
    })
    const opened = await within(opening, bound(openMs))
    // One that opens when nobody wants it any more.
    if (!opened) void opening.then((late) => late.cancel()).catch(() => undefined)
    return opened
  }

  const opened = open().then((made) => {
    stream = made
    for (const pcm of early.splice(0)) made?.push(pcm)
    return made
  })
  // Asked for at the end of the utterance; until then a failure is nobody's.
  opened.catch(() => undefined)
  signal.addEventListener('abort', () => stream?.cancel())

  return {
    push(pcm) {
      if (stream) stream.push(pcm)
      else early.push(pcm)
    },
    async finish() {
      const ready = await opened
      if (!ready || signal.aborted) return undefined
      return within(ready.finish(), bound(finishMs))
    },
  }
}

function tooSlow(): AppError {
  return new AppError('voice-recogniser-stopped', 'The recogniser did not answer in time')
}
