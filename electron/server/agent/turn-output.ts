export type TurnFailure = 'asr_failed' | 'llm_failed' | 'tts_failed' | 'tool_failed'

/** Where a turn is heard and seen: the session of its board. Nothing of an aborted turn leaves it. */
export interface TurnOutput {
  transcript(text: string, final: boolean): void
  working(stage: 'llm' | 'tool'): void
  /** Told to the board before the reply, never instead of it (iotta-protocol.md §3.1). */
  failure(code: TurnFailure): void
  /** The text so far is a whole command, or no longer one: how much silence ends the utterance. */
  expectEnd(complete: boolean): void
  beginSentence(text: string): void
  /** Mono PCM; resolves when there is room for more. Rejects when it cannot be encoded. */
  audio(pcm: Int16Array, sampleRate: number): Promise<void>
  endSentence(): Promise<void>
  /** Resolves with ms of sound when all of it has had time to play; undefined when it was cut. */
  played(): Promise<number | undefined>
}
