import { AppError, toAppError } from '../../base/app-error.ts'
import { type ToolCall, toolRef } from '../../contract/tool.ts'
import { boundedItems } from './bounded.ts'
import { failurePhrase } from './failure-phrases.ts'
import { thinkHonestly } from './honest-thinking.ts'
import type { SpokenLanguage, ThinkingInput, ThinkingReport } from './providers.ts'
import type { AgentOptions, RunningTurn } from './running-turn.ts'
import { consentAnswer, consentPhrase } from './spoken-consent.ts'
import type { Sentence } from './speech.ts'
import { failureReply, fixedPhrase, type Reply } from './thinking/replies.ts'
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
  if (await answeredConsent(turn, text, options)) return
  await think(turn, text, options)
}

/** A yes or a no to the one destructive call that waits on this device: no thinker ever sees these words. */
async function answeredConsent(turn: RunningTurn, text: string, { tools, log }: AgentOptions): Promise<boolean> {
  const { record, speech } = turn
  const { language, deviceId } = record.turn
  const request = tools.consents.heard(deviceId, turn.id)
  const yes = request && consentAnswer(text)
  if (!request || yes === undefined) return false
  try {
    const call = await tools.consents.answer(request.id, yes, { kind: 'turn', id: turn.id })
    if (call) record.addCall(call)
    speech.say(answered(call, language))
  } catch (error) {
    // It ran out in this very moment.
    log.info('a spoken consent came too late', { turn: turn.id, error })
    record.note(toAppError(error).code)
    speech.say(consentPhrase('failed', language))
  }
  return true
}

function answered(call: ToolCall | null, language: SpokenLanguage): Reply {
  if (call === null) return consentPhrase('refused', language)
  if (call.outcome === 'ok') return consentPhrase('done', language)
  // What a built-in tool says of itself tells why; the rest is one sentence.
  return call.errorCode?.startsWith('helper-')
    ? failureReply(call.outcome, call.errorCode, language)
    : consentPhrase('failed', language)
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
  let provider = thinking.id
  const report: ThinkingReport = { answeredBy: (thinker) => (provider = thinker), note: (code) => record.note(code) }
  try {
    const { deviceId } = record.turn
    const withheld = () => turn.withheld
    const asked = { text, language, tools, withheld, context: turn.context, deviceId }
    const input: ThinkingInput = { ...asked, call, signal, report }
    const items =
      thinking.isHonest === true
        ? thinking.think(input)
        : thinkHonestly({
            thinking,
            input,
            calls: () => record.turn.calls,
            onUndone: () => record.note('tool-not-called'),
          })
    for await (const sentence of boundedItems(items, { clock, ms: thinkMs, signal, failure })) {
      // What waits for a yes is told in the server's words alone.
      if (sentence.text.trim() === '' || waitsForYes(record.turn.calls)) continue
      stopTelling()
      sentences++
      if (!speech.say(sentence)) break
    }
    // Not left to a model: what is asked for must be understood exactly.
    if (waitsForYes(record.turn.calls)) speech.say(consentPhrase('ask', language))
    else if (sentences === 0) speech.say(silentReply(record.turn.calls, language))
    span.end({ detail: { sentences, provider } })
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

/** Of a thinker that said nothing: done only where everything that it called was. */
function silentReply(calls: readonly ToolCall[], language: SpokenLanguage): Sentence {
  if (calls.length === 0) return fixedPhrase('not-understood', language)
  const bad = calls.findLast(({ outcome }) => outcome !== 'ok')
  if (!bad || bad.outcome === 'ok') return fixedPhrase('done', language)
  return failureReply(bad.outcome, bad.errorCode, language)
}

function waitsForYes(calls: readonly ToolCall[]): boolean {
  return calls.some(({ errorCode, consentId }) => errorCode === 'tool-needs-consent' && consentId !== undefined)
}
