import type { ToolCall } from '../../contract/tool.ts'
import { claimsUndone } from './claim-check.ts'
import type { Thinking, ThinkingInput } from './providers.ts'
import { consentPhrase } from './spoken-consent.ts'

interface Sentence {
  readonly text: string
  readonly cacheable: boolean
}

export interface Honesty {
  readonly thinking: Thinking
  readonly input: ThinkingInput
  /** The calls of the turn so far. */
  readonly calls: () => readonly ToolCall[]
  /** Called once, when something was claimed that was not done. */
  readonly onUndone: () => void
}

/**
 * Did it really happen (features.md D2)? A sentence that claims an action is held back until a call stands for it. What
 * is still not done at the end is not spoken: the thinker is asked once to do it or to say so, and if it claims again
 * the server says itself that it was not done.
 */
export async function* thinkHonestly(honesty: Honesty): AsyncGenerator<Sentence, undefined> {
  const { thinking, input, calls, onUndone } = honesty
  const isUndone = (text: string, before: string) =>
    claimsUndone(text, { asked: input.text, tools: input.tools, calls: calls(), before })
  const first = heldBack(thinking.think(input), isUndone)
  const undone = yield* first
  if (undone.length === 0 || isOver(input)) return undefined
  onUndone()
  const again = heldBack(thinking.think({ ...input, text: askAgain(input.text, undone, calls()) }), isUndone)
  const still = yield* again
  if (still.length > 0 && !isOver(input)) yield consentPhrase('not-done', input.language)
  return undefined
}

/** Asked anew each time: it changes while a thinker thinks. */
function isOver({ signal }: ThinkingInput): boolean {
  return signal.aborted
}

/** Yields what is true when it is said or becomes true; returns the sentences that did not, which were not yielded. */
async function* heldBack(
  sentences: AsyncIterable<Sentence>,
  isUndone: (text: string, before: string) => boolean,
): AsyncGenerator<Sentence, readonly Sentence[]> {
  let held: Sentence[] = []
  let before = ''
  // Each with what was said before it: a plain word after a no is no claim.
  const isLie = ({ text }: Sentence, at: number) => isUndone(text, held[at - 1]?.text ?? before)
  for await (const sentence of sentences) {
    held.push(sentence)
    // In order: what follows a held sentence waits with it.
    if (held.some(isLie)) continue
    yield* held
    before = sentence.text
    held = []
  }
  const undone = held.filter(isLie)
  if (undone.length === 0) yield* held
  return undone
}

/** The thinker's own words and the results are quoted as data: they may hold anything. */
function askAgain(text: string, undone: readonly Sentence[], calls: readonly ToolCall[]): string {
  const said = undone.map((sentence) => sentence.text).join(' ')
  return [
    text,
    '',
    'Note of the server: the answer below claims an action, but no tool call of this turn did it.',
    'Call the tool now if it is wanted and allowed, or say plainly that it was not done.',
    fenced('answer', said),
    ...calls.map((call) => fenced('call', { ref: call.ref, outcome: call.outcome, result: call.result ?? null })),
  ].join('\n')
}

/** Data inside a prompt: marked as untrusted, and unable to end its own fence (reliability.md C 45). */
export function fenced(name: string, value: unknown): string {
  const text = JSON.stringify(value).replaceAll('<', '\\u003c')
  return `<untrusted-${name}>${text}</untrusted-${name}>`
}
