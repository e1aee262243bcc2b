import { AppError, toAppError } from '../../base/app-error.ts'
import { toolRef } from '../../contract/tool.ts'
import { boundedItems } from './bounded.ts'
import { failurePhrase } from './failure-phrases.ts'
import type { AgentOptions, RunningTurn } from './running-turn.ts'
import { fixedPhrase } from './thinking/replies.ts'
import { createTurnTools } from './turn-tools.ts'

/** No sentence for so long: the model does not answer. */
const thinkMs = 30_000
/** A thinker that is quicker than this tells the board nothing but its tools (iotta-protocol.md §6). */
const tellAfterMs = 50

/** Think and speak: resolves when all sentences are made, not when they are spoken. Never rejects. */
export async function answerText(turn: RunningTurn, text: string, options: AgentOptions): Promise<void> {
  if (text === '') {
    turn.record.note('voice-not-understood')
    turn.speech.say(fixedPhrase('not-understood', turn.record.turn.language))
    return
  }
  await think(turn, text, options)
}

async function think(turn: RunningTurn, text: string, options: AgentOptions): Promise<void> {
  const { record, output, speech, signal } = turn
  const { clock, thinking } = options
  const tools = await turn.vocabulary
  record.change({ toolsOffered: tools.map(toolRef) })
  const span = record.begin('llm', { provider: thinking.id })
  const stopTelling = clock.after(tellAfterMs, () => output.working('llm'))
  const failure = () => new AppError('iotta-llm-failed', `${thinking.id} did not answer within ${thinkMs / 1000} s`)
  const { language } = record.turn
  const call = createTurnTools({ tools: options.tools, output, record, signal })
  let sentences = 0
  try {
    const items = thinking.think({ text, language, tools, call, signal, context: turn.context })
    for await (const sentence of boundedItems(items, { clock, ms: thinkMs, signal, failure })) {
      if (sentence.text.trim() === '') continue
      stopTelling()
      sentences++
      if (!speech.say(sentence)) break
    }
    if (sentences === 0) speech.say(fixedPhrase(record.turn.calls.length > 0 ? 'done' : 'not-understood', language))
    span.end({ detail: { sentences } })
  } catch (error) {
    options.log.warn('thinking failed', { turn: turn.id, error })
    span.end({ error: toAppError(error).code })
    record.fail('iotta-llm-failed')
    output.failure('llm_failed')
    speech.say(failurePhrase('thinking-failed', language))
  } finally {
    stopTelling()
  }
}
