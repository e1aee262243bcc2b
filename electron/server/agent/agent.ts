import type { Announced } from '../../contract/conversation.ts'
import { answerText } from './answering.ts'
import { listenTurn } from './listening.ts'
import { playTurnSound, type TurnSound } from './turn-sound.ts'
import { type AgentOptions, type AgentTurn, beginTurn, type RunningTurn, type TurnOptions } from './running-turn.ts'

export interface Agent {
  readonly name: string
  listen(options: TurnOptions): AgentTurn
  /** A text that a person typed is answered; an announcement is spoken as it is, or with `sound` played under that title. */
  open(
    options: TurnOptions & {
      source: 'typed' | 'announcement'
      text: string
      announced?: Announced | undefined
      sound?: TurnSound | undefined
    },
  ): AgentTurn
}

/** Hear, think, call tools, speak; each stage on the turn's record. A failed stage still ends in something spoken. */
export function createAgent(options: AgentOptions): Agent {
  const log = options.log.child('agent')
  const parts = { ...options, log }

  /** The only way out of a turn: something was spoken and has been played, or the signal aborted. */
  async function finish(turn: RunningTurn, answer: Promise<void>, sound?: TurnSound): Promise<void> {
    try {
      await answer
    } catch (error) {
      log.error('a turn failed', { turn: turn.id, error })
      turn.record.fail('iotta-internal')
    }
    // A reply without any sound ends with a tone; a sound that was stopped needs none.
    if (!sound) await turn.speech.end()
    if (turn.signal.aborted) return sound?.onEnd(false)
    const audioMs = await turn.output.played()
    sound?.onEnd(audioMs !== undefined)
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
    open({ source, text, announced, sound, ...turn }) {
      const running = beginTurn(turn, { source, text, ...(announced ? { announced } : {}) }, parts)
      if (source === 'announcement' && !sound) running.speech.say({ text, cacheable: false })
      const play = () => (sound ? playTurnSound(running, sound, text) : Promise.resolve())
      const over = finish(running, source === 'typed' ? answerText(running, text, parts) : play(), sound)
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
