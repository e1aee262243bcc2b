import type { RunningTurn } from './running-turn.ts'

/** Sound that is not speech, as a turn of its own: music. */
export interface TurnSound {
  /** Mono pieces at `sampleRate`; read once. */
  readonly pcm: AsyncIterable<Int16Array>
  readonly sampleRate: number
  /** Aborted: it ends as if it were over. */
  readonly signal: AbortSignal
  /** False when the turn was cut: somebody spoke, or the board left. Called once. */
  readonly onEnd: (complete: boolean) => void
}

/** Plays it as one sentence whose text is the title; resolves when all of it was encoded. Rejects what the source does. */
export async function playTurnSound(turn: RunningTurn, sound: TurnSound, title: string): Promise<void> {
  const { output, signal, record } = turn
  record.addReply(title)
  output.beginSentence(title)
  for await (const pcm of sound.pcm) {
    // Leaving the loop lets the source go.
    if (signal.aborted || sound.signal.aborted) break
    await output.audio(pcm, sound.sampleRate)
  }
  await output.endSentence()
}
