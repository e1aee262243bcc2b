import { toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import { failurePhrase } from './failure-phrases.ts'
import { type AgentOptions, type AgentTurn, type EndOfSpeech, languageOf, type RunningTurn } from './running-turn.ts'
import { heardAnswers } from './spoken-consent.ts'
import type { StageSpan } from './turn-recorder.ts'
import { openUtterance, type Utterance } from './utterance.ts'

/** Hear: `answer` is called once, at the end of speech. */
export function listenTurn(
  turn: RunningTurn,
  options: AgentOptions,
  answer: (understood: Promise<string | undefined>) => Promise<void>,
): AgentTurn {
  const { record, output, signal } = turn
  const vad = record.begin('vad')
  const asr = record.begin('asr', { engine: options.hearing.id })
  const over = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => over.resolve())
  let ended = false

  const utterance = openUtterance({
    hearing: options.hearing,
    // What is offered first: a recogniser has room for so many.
    vocabulary: Promise.all([turn.vocabulary, turn.withheld]).then((tools) => tools.flat()),
    phrases: isAsked(turn.deviceId, options) ? heardAnswers : [],
    language: record.turn.language,
    clock: options.clock,
    signal,
    onPartial(text, complete) {
      if (record.turn.userTextFinal || signal.aborted) return
      record.change({ userText: text })
      output.transcript(text, false)
      if (!ended) output.expectEnd(complete)
    },
  })

  return {
    hear(pcm) {
      if (!ended) utterance.push(pcm)
    },
    speechBegan: () => record.speechBegan(),
    endOfSpeech(end) {
      if (ended || signal.aborted) return
      ended = true
      vad.end({ detail: { endedBy: end.by, silenceMs: Math.round(options.clock.now() - end.speechEndedAt) } })
      record.speechEnded(end.speechEndedAt)
      void answer(understand(turn, { utterance, asr, end, log: options.log })).then(over.resolve)
    },
    mute() {
      ended = true
      record.change({ userTextFinal: true })
      record.end('mute')
    },
    firstFrame: (at) => record.firstFrame(at),
    fail: (code) => record.fail(code),
    over: over.promise,
  }
}

/** A yes is in the recogniser's grammar only while it is waited for: nothing else shall be misheard as one. */
function isAsked(deviceId: string, { tools }: AgentOptions): boolean {
  return tools.consents.list().some((request) => request.deviceId === deviceId && request.state === 'waiting')
}

/** The final text, told to the board whatever happened; a failure has its apology said. Undefined after an abort. */
async function understand(
  turn: RunningTurn,
  parts: { utterance: Utterance; asr: StageSpan; end: EndOfSpeech; log: Log },
): Promise<string | undefined> {
  const { record, output } = turn
  try {
    if (parts.end.failure) throw parts.end.failure
    const heard = await parts.utterance.finish()
    if (!heard || turn.signal.aborted) return undefined
    const text = heard.text.trim()
    const confidence = heard.confidence ?? null
    parts.asr.end({ detail: confidence === null ? {} : { confidence } })
    const language = languageOf(text) ?? record.turn.language
    record.change({ userText: text, userTextFinal: true, confidence, language })
    output.transcript(text, true)
    return text
  } catch (error) {
    const { code } = toAppError(error)
    parts.log.warn('an utterance was not heard', { turn: turn.id, error })
    parts.asr.end({ error: code })
    record.note(code)
    record.fail('iotta-asr-failed')
    record.change({ userText: '', userTextFinal: true })
    output.transcript('', true)
    output.failure('asr_failed')
    const phrase = code === 'voice-recogniser-missing' ? 'recogniser-missing' : 'hearing-failed'
    turn.speech.say(failurePhrase(phrase, record.turn.language))
    return undefined
  }
}
