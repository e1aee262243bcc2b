import type { Announced } from '../../contract/conversation.ts'
import type { TurnSound } from '../agent/turn-sound.ts'
import type { ToDevice, WireErrorCode } from './wire.ts'

//   connecting ──hello──▶ idle ──listen start──▶ listening ──speech end / stop──▶ thinking ──first sound──▶ speaking
//        │                 ▲  ╲                      │ no speech 10 s, abort         │ abort                  │
//        ▼ 10 s: 4408      │   ╲── typed turn ───────┼──────────────────────────────▶│                        │
//                          └───┴─────────────────────┴───────────────────────────────┴──── played, abort, cut ┘
//   `listen start` in thinking and speaking cancels first; in listening it starts afresh (iotta-protocol.md §3.1).

/** A turn that the server opens itself; it waits until the session is idle. */
export interface Opening {
  readonly turn: string
  readonly source: 'typed' | 'announcement'
  readonly text: string
  readonly announced?: Announced
  /** Played in place of the text, which is its title. */
  readonly sound?: TurnSound
}

interface Waiting {
  readonly waiting: readonly Opening[]
}

/** `ended`: `listen stop` has come, and the frames before it are still being heard. */
interface Listening {
  readonly at: 'listening'
  readonly turn: string
  readonly heard: boolean
  readonly ended: boolean
  /** The newest partial text from before `speech_start`: the recogniser may guess at noise (iotta-protocol.md §3). */
  readonly guess?: string
}

export type State = Waiting &
  (
    | { readonly at: 'connecting' }
    | { readonly at: 'idle' }
    | Listening
    /** `heard`: the board was told `speech_start`; without it no partial text is told either. */
    | {
        readonly at: 'thinking'
        readonly turn: string
        readonly heard: boolean
        readonly told: boolean
        readonly transcribed: boolean
      }
    | { readonly at: 'speaking'; readonly turn: string }
  )

/** Why an utterance ended; `by` is kept on the turn. */
export type EndedBy = 'silence' | 'listen-stop' | 'too-long' | 'failure'
export type TimerName = 'hello' | 'silence' | 'utterance'

export type Input =
  | { readonly type: 'opened' }
  | { readonly type: 'agreed'; readonly hello: Extract<ToDevice, { type: 'hello' }> }
  | { readonly type: 'disagreed' }
  | { readonly type: 'listen-start'; readonly turn: string }
  | { readonly type: 'listen-stop' }
  | { readonly type: 'frame'; readonly bytes: Uint8Array }
  | { readonly type: 'abort' }
  | { readonly type: 'timer'; readonly name: TimerName; readonly turn?: string }
  | { readonly type: 'speech-start'; readonly turn: string }
  | { readonly type: 'speech-end'; readonly turn: string; readonly by: EndedBy }
  | { readonly type: 'no-speech'; readonly turn: string }
  /** All frames before `listen stop` were heard. */
  | { readonly type: 'drained'; readonly turn: string }
  | { readonly type: 'transcript'; readonly turn: string; readonly text: string; readonly final: boolean }
  | { readonly type: 'working'; readonly turn: string; readonly stage: 'llm' | 'tool' }
  | { readonly type: 'failure'; readonly turn: string; readonly code: WireErrorCode }
  | { readonly type: 'speech-begins'; readonly turn: string }
  | { readonly type: 'sentence'; readonly turn: string; readonly state: 'start' | 'end'; readonly text?: string }
  | { readonly type: 'played'; readonly turn: string }
  | { readonly type: 'cut'; readonly turn: string; readonly code: WireErrorCode }
  | { readonly type: 'open'; readonly opening: Opening }
  | { readonly type: 'closed' }

export type Effect =
  | { readonly do: 'send'; readonly message: ToDevice }
  | { readonly do: 'fail'; readonly code: WireErrorCode; readonly fatal: boolean }
  | { readonly do: 'close'; readonly code: number }
  | { readonly do: 'timer'; readonly name: TimerName; readonly ms: number; readonly turn?: string }
  | { readonly do: 'listen'; readonly turn: string }
  | { readonly do: 'hear'; readonly turn: string; readonly bytes: Uint8Array }
  | { readonly do: 'drop' }
  | { readonly do: 'drain'; readonly turn: string }
  | { readonly do: 'answer'; readonly turn: string; readonly by: EndedBy }
  | { readonly do: 'mute'; readonly turn: string }
  | { readonly do: 'cancel'; readonly turn: string }
  | { readonly do: 'open'; readonly opening: Opening }
  /** A waiting turn that can never run. */
  | { readonly do: 'forget'; readonly opening: Opening }

export type Step = readonly [State, ...Effect[]]

export const helloMs = 10_000
export const noSpeechMs = 10_000
export const utteranceMs = 30_000

export const start: State = { at: 'connecting', waiting: [] }

/** Pure. An input with no case in the current state changes nothing: late replies are normal here. */
export function step(state: State, input: Input): Step {
  if (input.type === 'closed') return close(state)
  switch (state.at) {
    case 'connecting':
      return connecting(state, input)
    case 'idle':
      return idle(state, input)
    case 'listening':
    case 'thinking':
    case 'speaking':
      return running(state, input)
  }
}

type At<A extends State['at']> = Extract<State, { at: A }>
type Running = At<'listening' | 'thinking' | 'speaking'>

function connecting(state: At<'connecting'>, input: Input): Step {
  if (input.type === 'opened') return [state, { do: 'timer', name: 'hello', ms: helloMs }]
  if (input.type === 'agreed') return rest(state, { do: 'send', message: input.hello })
  if (input.type === 'disagreed') {
    return [state, { do: 'fail', code: 'unsupported_codec', fatal: true }, { do: 'close', code: 1008 }]
  }
  if (input.type === 'timer' && input.name === 'hello') return [state, { do: 'close', code: 4408 }]
  if (input.type === 'frame') return [state, { do: 'drop' }]
  if (input.type === 'open') return [wait(state, input.opening)]
  return [state]
}

function idle(state: At<'idle'>, input: Input): Step {
  if (input.type === 'listen-start') return listen(state, input.turn)
  if (input.type === 'frame') return [state, { do: 'drop' }]
  if (input.type === 'open') return rest(wait(state, input.opening))
  return [state]
}

/** What holds in every state of a turn; the rest is asked of the state. */
function running(state: Running, input: Input): Step {
  if (input.type === 'listen-start') {
    const [next, ...effects] = listen(state, input.turn)
    return [next, ...hush(state), ...effects]
  }
  if (input.type === 'abort') return rest(state, ...hush(state))
  if (input.type === 'open') return [wait(state, input.opening)]
  if (input.type === 'frame') {
    if (state.at !== 'listening' || state.ended) return [state, { do: 'drop' }]
    return [state, { do: 'hear', turn: state.turn, bytes: input.bytes }]
  }
  // Everything else is about one turn, and only about the one that runs.
  if ('turn' in input && input.turn !== state.turn) return [state]
  if (input.type === 'failure') return [state, { do: 'fail', code: input.code, fatal: false }]
  switch (state.at) {
    case 'listening':
      return listening(state, input)
    case 'thinking':
      return thinking(state, input)
    case 'speaking':
      return speaking(state, input)
  }
}

function listening(state: At<'listening'>, input: Input): Step {
  if (input.type === 'listen-stop' && !state.ended) {
    return [
      { ...state, ended: true },
      { do: 'drain', turn: state.turn },
    ]
  }
  if (input.type === 'speech-start' && !state.heard) return hear(state)
  if (input.type === 'speech-end' && (state.heard || input.by === 'failure')) return answer(state, input.by)
  if (input.type === 'drained') return state.heard ? answer(state, 'listen-stop') : mute(state)
  if (input.type === 'no-speech' && !state.heard) return mute(state)
  if (input.type === 'timer' && input.name === 'silence' && !state.heard && !state.ended) return mute(state)
  if (input.type === 'timer' && input.name === 'utterance') {
    return state.heard ? answer(state, 'too-long') : mute(state)
  }
  if (input.type === 'transcript' && !input.final) {
    return state.heard ? [state, stt(input.text, false)] : [{ ...state, guess: input.text }]
  }
  return [state]
}

function hear({ guess, ...state }: At<'listening'>): Step {
  const told = guess === undefined ? [] : [stt(guess, false)]
  return [{ ...state, heard: true }, vad('speech_start'), ...told]
}

function thinking(state: At<'thinking'>, input: Input): Step {
  if (input.type === 'transcript' && !state.transcribed && (input.final || state.heard)) {
    return [{ ...state, transcribed: input.final }, stt(input.text, input.final)]
  }
  if (input.type === 'working') return [{ ...state, told: true }, processing(input.stage)]
  if (input.type === 'speech-begins') return begin(state)
  if (input.type === 'played') {
    // Not even a tone could be made: the board still gets its one pair.
    const [, ...effects] = begin(state)
    return rest(state, ...effects, tts('stop'))
  }
  return [state]
}

function speaking(state: At<'speaking'>, input: Input): Step {
  if (input.type === 'working') return [state, processing(input.stage)]
  if (input.type === 'sentence') {
    const text = input.text === undefined ? {} : { text: input.text }
    return [state, { do: 'send', message: { type: 'tts', state: `sentence_${input.state}`, ...text } }]
  }
  if (input.type === 'played') return rest(state, tts('stop'))
  if (input.type === 'cut') return rest(state, { do: 'fail', code: input.code, fatal: false }, ...hush(state))
  return [state]
}

/** Opens the turn of the next frames; what ran before is the caller's to stop. */
function listen(state: State, turn: string): Step {
  return [
    { at: 'listening', turn, heard: false, ended: false, waiting: state.waiting },
    { do: 'timer', name: 'silence', ms: noSpeechMs, turn },
    { do: 'timer', name: 'utterance', ms: utteranceMs, turn },
    { do: 'listen', turn },
  ]
}

/** `vad speech_end` follows a `speech_start` and nothing else. */
function answer(state: At<'listening'>, by: EndedBy): Step {
  const next: State = {
    at: 'thinking',
    turn: state.turn,
    heard: state.heard,
    told: false,
    transcribed: false,
    waiting: state.waiting,
  }
  return [next, ...(state.heard ? [vad('speech_end')] : []), { do: 'answer', turn: state.turn, by }]
}

function mute(state: At<'listening'>): Step {
  return rest(state, stt('', true), { do: 'mute', turn: state.turn })
}

function begin(state: At<'thinking'>): Step {
  const told: Effect[] = state.told ? [] : [processing('llm')]
  return [{ at: 'speaking', turn: state.turn, waiting: state.waiting }, ...told, tts('start')]
}

/** Stops what runs: `tts stop` if and only if a `tts start` is open. */
function hush(state: Running): Effect[] {
  const cancel: Effect = { do: 'cancel', turn: state.turn }
  return state.at === 'speaking' ? [cancel, tts('stop')] : [cancel]
}

/** Idle, or at once the turn that waited for it. */
function rest(state: State, ...effects: Effect[]): Step {
  const [opening, ...waiting] = state.waiting
  if (!opening) return [{ at: 'idle', waiting: [] }, ...effects]
  const told = opening.source === 'typed' ? [stt(opening.text, true)] : []
  const next: State = { at: 'thinking', turn: opening.turn, heard: false, told: false, transcribed: true, waiting }
  return [next, ...effects, ...told, { do: 'open', opening }]
}

function wait(state: State, opening: Opening): State {
  return { ...state, waiting: [...state.waiting, opening] }
}

function close(state: State): Step {
  const cancel: Effect[] = 'turn' in state ? [{ do: 'cancel', turn: state.turn }] : []
  const forget = state.waiting.map((opening): Effect => ({ do: 'forget', opening }))
  return [{ at: 'idle', waiting: [] }, ...cancel, ...forget]
}

function vad(state: 'speech_start' | 'speech_end'): Effect {
  return { do: 'send', message: { type: 'vad', state } }
}

function stt(text: string, final: boolean): Effect {
  return { do: 'send', message: { type: 'stt', text, final } }
}

function tts(state: 'start' | 'stop'): Effect {
  return { do: 'send', message: { type: 'tts', state } }
}

function processing(stage: 'llm' | 'tool'): Effect {
  return { do: 'send', message: { type: 'processing', stage } }
}
