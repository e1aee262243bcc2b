import type { Clock } from '../../base/clock.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { Agent } from '../agent/agent.ts'
import type { AgentTurn } from '../agent/running-turn.ts'
import type { TurnOutput } from '../agent/turn-output.ts'
import type { Vad } from '../audio/vad.ts'
import { type EarEvent, type Ears, openEars } from './ears.ts'
import { createMouth, type Mouth, type TaggedFrame } from './mouth.ts'
import type { Agreement } from './negotiation.ts'
import type { SessionCodec } from './session-codec.ts'
import type { EndedBy, Input, Opening } from './session-machine.ts'

export interface SessionTurnParts {
  readonly agent: Agent
  readonly vad: Vad
  readonly clock: Clock
  readonly aheadMs?: number | undefined
  readonly codec: SessionCodec
  readonly agreement: Agreement
  readonly socket: DeviceSocket
  readonly who: { readonly sessionId: string; readonly deviceId: string; readonly deviceName: string }
  readonly language: 'en' | 'zh' | undefined
  readonly context: Readonly<Record<string, unknown>>
  readonly dispatch: (input: Input) => void
  readonly sendFrame: (frame: TaggedFrame) => void
  readonly onTrouble: (event: 'bad-audio' | 'too-fast') => void
}

/** One turn of one session: its ears, its mouth, and its part of the agent. */
export interface SessionTurn {
  readonly id: string
  frame(bytes: Uint8Array): void
  drain(): void
  answer(by: EndedBy): void
  mute(): void
  /** `code`: why it is cut, for the record. Nothing of it is sent from this very moment. */
  cancel(code?: ErrorCode): void
}

/** Starts listening, or with `opening` answers at once. */
export function createSessionTurn(id: string, parts: SessionTurnParts, opening?: Opening): SessionTurn {
  const controller = new AbortController()
  const mouth = openMouth(id, parts, () => turn)
  const output = createOutput(id, { mouth, dispatch: parts.dispatch, ears: () => ears })
  const common = {
    id,
    ...parts.who,
    language: parts.language,
    context: parts.context,
    output,
    signal: controller.signal,
  }
  const turn: AgentTurn = opening ? parts.agent.open({ ...common, ...said(opening) }) : parts.agent.listen(common)
  const ears = opening ? undefined : openTurnEars(id, parts, turn)

  return {
    id,
    frame: (bytes) => ears?.frame(bytes),
    drain: () => ears?.drain(),
    answer(by) {
      const speechEndedAt = by === 'too-long' ? parts.clock.now() : (ears?.speechEndedAt ?? parts.clock.now())
      ears?.close()
      turn.endOfSpeech({ speechEndedAt, by, failure: ears?.failure })
    },
    mute() {
      turn.mute()
      ears?.close()
      controller.abort()
    },
    cancel(code) {
      if (code) turn.fail(code)
      mouth.stop()
      ears?.close()
      controller.abort()
    },
  }
}

const said = ({ source, text, announced, sound }: Opening) => ({ source, text, announced, sound })

function openTurnEars(id: string, parts: SessionTurnParts, turn: AgentTurn): Ears {
  function onEvent(event: EarEvent): void {
    if (event.type === 'speech-start') turn.speechBegan()
    if (event.type === 'bad-audio' || event.type === 'too-fast') parts.onTrouble(event.type)
    else parts.dispatch({ ...event, turn: id })
  }
  return openEars({
    codec: parts.codec,
    vad: parts.vad,
    frameMs: parts.agreement.input.frameDuration,
    clock: parts.clock,
    hear: (pcm) => turn.hear(pcm),
    onEvent,
  })
}

function openMouth(id: string, parts: SessionTurnParts, turn: () => AgentTurn): Mouth {
  const { dispatch, socket, clock } = parts
  return createMouth({
    tag: { session: parts.who.sessionId, turn: id },
    codec: parts.codec,
    format: parts.agreement.output,
    clock,
    aheadMs: parts.aheadMs,
    send(frame) {
      parts.sendFrame(frame)
      turn().firstFrame(clock.now())
    },
    buffered: () => socket.bufferedAmount,
    onSlow: () => dispatch({ type: 'cut', turn: id, code: 'slow_consumer' }),
    onBegin: () => dispatch({ type: 'speech-begins', turn: id }),
    onSentence: (state, text) =>
      dispatch(
        text === undefined ? { type: 'sentence', turn: id, state } : { type: 'sentence', turn: id, state, text },
      ),
  })
}

/** Everything goes through the machine, which lets nothing out that is not of the running turn. */
function createOutput(
  turn: string,
  parts: { mouth: Mouth; dispatch: (input: Input) => void; ears: () => Ears | undefined },
): TurnOutput {
  const { mouth, dispatch } = parts
  return {
    ...mouth,
    transcript: (text, final) => dispatch({ type: 'transcript', turn, text, final }),
    working: (stage) => dispatch({ type: 'working', turn, stage }),
    failure: (code) => dispatch({ type: 'failure', turn, code }),
    expectEnd: (complete) => parts.ears()?.expectEnd(complete),
    async played() {
      const audioMs = await mouth.played()
      if (audioMs !== undefined) dispatch({ type: 'played', turn })
      return audioMs
    },
  }
}
