import { answerText } from './answering.ts'
import { listenTurn } from './listening.ts'
import { type AgentOptions, type AgentTurn, beginTurn, type RunningTurn, type TurnOptions } from './running-turn.ts'

export interface Agent {
  readonly name: string
  listen(options: TurnOptions): AgentTurn
  /** A text that a person typed is answered; an announcement is spoken as it is. */
  open(options: TurnOptions & { source: 'typed' | 'announcement'; text: string }): AgentTurn
}

/** Hear, think, call tools, speak; each stage on the turn's record. A failed stage still ends in something spoken. */
export function createAgent(options: AgentOptions): Agent {
  const log = options.log.child('agent')
  const parts = { ...options, log }

  /** The only way out of a turn: something was spoken and has been played, or the signal aborted. */
  async function finish(turn: RunningTurn, answer: Promise<void>): Promise<void> {
    try {
      await answer
    } catch (error) {
      log.error('a turn failed', { turn: turn.id, error })
      turn.record.fail('iotta-internal')
    }
    await turn.speech.end()
    if (turn.signal.aborted) return
    const audioMs = await turn.output.played()
    turn.record.end(audioMs === undefined ? 'aborted' : 'done', audioMs)
  }

  return {
    name: options.name,
    listen(turn) {
      const running = beginTurn(turn, { source: 'voice' }, parts)
      return listenTurn(running, parts, (understood) =>
        finish(
          running,
          understood.then((text) => (text === undefined ? undefined : answerText(running, text, parts))),
        ),
      )
    },
    open({ source, text, ...turn }) {
      const running = beginTurn(turn, { source, text }, parts)
      if (source === 'announcement') running.speech.say({ text, cacheable: false })
      const over = finish(running, source === 'typed' ? answerText(running, text, parts) : Promise.resolve())
      const nothing = () => undefined
      return {
        hear: nothing,
        speechBegan: nothing,
        endOfSpeech: nothing,
        mute: nothing,
        firstFrame: (at) => running.record.firstFrame(at),
        fail: (code) => running.record.fail(code),
        over,
      }
    },
  }
}
