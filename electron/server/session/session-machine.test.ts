import { expect, test } from 'vitest'
import { type Effect, type Input, start, type State, step } from './session-machine.ts'
import type { ToDevice } from './wire.ts'

const audio = { codec: 'opus', sample_rate: 16000, channels: 1, frame_duration: 60 } as const
const hello: Extract<ToDevice, { type: 'hello' }> = {
  type: 'hello',
  session_id: 's',
  input_audio: audio,
  output_audio: audio,
  server_time: 1,
}
const bytes = new Uint8Array([1])

const toIdle: Input[] = [{ type: 'opened' }, { type: 'agreed', hello }]
const toListening: Input[] = [...toIdle, { type: 'listen-start', turn: 'a' }]
const toHeard: Input[] = [...toListening, { type: 'speech-start', turn: 'a' }]
const toThinking: Input[] = [...toHeard, { type: 'speech-end', turn: 'a', by: 'silence' }]
const toTranscribed: Input[] = [...toThinking, { type: 'transcript', turn: 'a', text: 'hi', final: true }]
const toSpeaking: Input[] = [...toTranscribed, { type: 'speech-begins', turn: 'a' }]

/** Folds; answers the last state and what came out at the very end. */
function fold(inputs: readonly Input[]): { state: State; last: string[]; all: string[] } {
  let state = start
  let last: string[] = []
  const all: string[] = []
  for (const input of inputs) {
    const [next, ...effects] = step(state, input)
    state = next
    last = effects.map(show)
    all.push(...last)
  }
  return { state, last, all }
}

function show(effect: Effect): string {
  if (effect.do === 'send') {
    const { message } = effect
    if (message.type === 'stt') return `stt "${message.text}" ${message.final ? 'final' : 'partial'}`
    if (message.type === 'vad' || message.type === 'tts') return `${message.type} ${message.state}`
    return message.type === 'processing' ? `processing ${message.stage ?? ''}` : message.type
  }
  if (effect.do === 'fail') return `error ${effect.code}${effect.fatal ? ' fatal' : ''}`
  if (effect.do === 'close') return `close ${effect.code}`
  if (effect.do === 'timer') return `timer ${effect.name} ${effect.ms}`
  if (effect.do === 'answer') return `answer by ${effect.by}`
  if (effect.do === 'open' || effect.do === 'forget') return `${effect.do} ${effect.opening.turn}`
  return effect.do
}

const after = (inputs: readonly Input[], ...more: Input[]) => fold([...inputs, ...more])
const typed = (turn: string): Input => ({ type: 'open', opening: { turn, source: 'typed', text: 'hello' } })

test('a board that says no hello within 10 s is closed with 4408', () => {
  expect(fold([{ type: 'opened' }]).last).toEqual(['timer hello 10000'])
  expect(fold([{ type: 'opened' }, { type: 'timer', name: 'hello' }]).last).toEqual(['close 4408'])
})

test('the hello timer means nothing once the hello was answered', () => {
  expect(after(toIdle, { type: 'timer', name: 'hello' })).toMatchObject({ state: { at: 'idle' }, last: [] })
})

test('no common codec is a fatal error and a close', () => {
  expect(fold([{ type: 'disagreed' }]).last).toEqual(['error unsupported_codec fatal', 'close 1008'])
})

test('one turn runs from listen start to tts stop in the order of the protocol', () => {
  const { all, state } = after(
    toTranscribed,
    { type: 'working', turn: 'a', stage: 'tool' },
    { type: 'speech-begins', turn: 'a' },
    { type: 'sentence', turn: 'a', state: 'start', text: 'Okay.' },
    { type: 'sentence', turn: 'a', state: 'end' },
    { type: 'played', turn: 'a' },
  )
  expect(all.slice(2)).toEqual([
    'timer silence 10000',
    'timer utterance 30000',
    'listen',
    'vad speech_start',
    'vad speech_end',
    'answer by silence',
    'stt "hi" final',
    'processing tool',
    'tts start',
    'tts sentence_start',
    'tts sentence_end',
    'tts stop',
  ])
  expect(state).toEqual({ at: 'idle', waiting: [] })
})

test('a reply that comes at once is still preceded by one processing', () => {
  expect(fold(toSpeaking).last).toEqual(['processing llm', 'tts start'])
})

test('listen stop ends the input at once, and speech_end follows a speech_start', () => {
  expect(after(toHeard, { type: 'listen-stop' }).last).toEqual(['drain'])
  expect(after(toHeard, { type: 'listen-stop' }, { type: 'drained', turn: 'a' }).last).toEqual([
    'vad speech_end',
    'answer by listen-stop',
  ])
})

test('frames after listen stop are dropped while those before it are still heard', () => {
  expect(after(toHeard, { type: 'listen-stop' }, { type: 'frame', bytes }).last).toEqual(['drop'])
})

test('speech that is only found after listen stop still makes a turn', () => {
  const late: Input[] = [...toListening, { type: 'listen-stop' }, { type: 'speech-start', turn: 'a' }]
  expect(after(late, { type: 'drained', turn: 'a' }).last).toEqual(['vad speech_end', 'answer by listen-stop'])
})

test('whichever ends the input first counts, the other is ignored', () => {
  expect(after(toThinking, { type: 'listen-stop' })).toMatchObject({ state: { at: 'thinking' }, last: [] })
  const both: Input[] = [{ type: 'listen-stop' }, { type: 'speech-end', turn: 'a', by: 'silence' }]
  expect(after([...toHeard, ...both], { type: 'drained', turn: 'a' })).toMatchObject({
    state: { at: 'thinking' },
    last: [],
  })
})

const partial = (text: string): Input => ({ type: 'transcript', turn: 'a', text, final: false })

test('a partial text before the first speech waits for speech_start, and only the newest is told', () => {
  const guessed = [...toListening, partial('how'), partial('how are')]
  expect(fold(guessed).all).not.toContainEqual(expect.stringContaining('stt'))
  expect(after(guessed, { type: 'speech-start', turn: 'a' }).last).toEqual([
    'vad speech_start',
    'stt "how are" partial',
  ])
  expect(after(toHeard, partial('turn')).last).toEqual(['stt "turn" partial'])
})

test('a guess at noise is never told: not after an abort, nor without any speech, nor in the next utterance', () => {
  const guessed = [...toListening, partial('how')]
  const late: Input[] = [{ type: 'speech-start', turn: 'a' }, partial('how are')]
  expect(after(guessed, { type: 'abort' }, ...late).all).not.toContainEqual(expect.stringContaining('stt'))
  expect(after(guessed, { type: 'no-speech', turn: 'a' }).last).toEqual(['stt "" final', 'mute'])
  expect(after(guessed, { type: 'speech-end', turn: 'a', by: 'failure' }, partial('how are')).last).toEqual([])
  const again = after(guessed, { type: 'listen-start', turn: 'b' }, { type: 'speech-start', turn: 'b' })
  expect(again.last).toEqual(['vad speech_start'])
})

test('an utterance is cut at 30 s', () => {
  expect(after(toHeard, { type: 'timer', name: 'utterance', turn: 'a' }).last).toEqual([
    'vad speech_end',
    'answer by too-long',
  ])
})

test('frames outside of listening are dropped in every state', () => {
  for (const inputs of [[], toIdle, toThinking, toSpeaking]) {
    expect(after(inputs, { type: 'frame', bytes }).last).toEqual(['drop'])
  }
  expect(after(toListening, { type: 'frame', bytes }).last).toEqual(['hear'])
})

test('listen start while thinking cancels first', () => {
  expect(after(toTranscribed, { type: 'listen-start', turn: 'b' })).toMatchObject({
    state: { at: 'listening', turn: 'b' },
    last: ['cancel', 'timer silence 10000', 'timer utterance 30000', 'listen'],
  })
})

test('listen start while speaking is barge-in: cancel, one tts stop, and the new utterance', () => {
  expect(after(toSpeaking, { type: 'listen-start', turn: 'b' }).last.slice(0, 2)).toEqual(['cancel', 'tts stop'])
})

test('listen start while listening starts the utterance afresh', () => {
  expect(after(toHeard, { type: 'listen-start', turn: 'b' })).toMatchObject({
    state: { at: 'listening', turn: 'b', heard: false, ended: false },
    last: ['cancel', 'timer silence 10000', 'timer utterance 30000', 'listen'],
  })
})

test('abort stops every running state, with tts stop only where tts start is open', () => {
  expect(after(toHeard, { type: 'abort' })).toMatchObject({ state: { at: 'idle' }, last: ['cancel'] })
  expect(after(toThinking, { type: 'abort' })).toMatchObject({ state: { at: 'idle' }, last: ['cancel'] })
  expect(after(toSpeaking, { type: 'abort' })).toMatchObject({ state: { at: 'idle' }, last: ['cancel', 'tts stop'] })
})

test('abort in idle changes nothing and is not answered', () => {
  expect(after(toIdle, { type: 'abort' })).toMatchObject({ state: { at: 'idle' }, last: [] })
})

test('what an aborted turn still says reaches nobody', () => {
  const late: Input[] = [
    { type: 'transcript', turn: 'a', text: 'x', final: true },
    { type: 'working', turn: 'a', stage: 'llm' },
    { type: 'failure', turn: 'a', code: 'llm_failed' },
    { type: 'speech-begins', turn: 'a' },
    { type: 'sentence', turn: 'a', state: 'start', text: 'x' },
    { type: 'played', turn: 'a' },
    { type: 'cut', turn: 'a', code: 'slow_consumer' },
    { type: 'speech-start', turn: 'a' },
    { type: 'speech-end', turn: 'a', by: 'failure' },
    { type: 'no-speech', turn: 'a' },
    { type: 'drained', turn: 'a' },
    { type: 'timer', name: 'silence', turn: 'a' },
  ]
  for (const input of late) {
    expect(after(toSpeaking, { type: 'abort' }, input)).toMatchObject({ state: { at: 'idle' }, last: [] })
    expect(after(toSpeaking, { type: 'listen-start', turn: 'b' }, input)).toMatchObject({
      state: { at: 'listening', turn: 'b', heard: false },
      last: [],
    })
  }
})

test('10 s without speech end mute: an empty final stt, nothing spoken', () => {
  expect(after(toListening, { type: 'no-speech', turn: 'a' })).toMatchObject({
    state: { at: 'idle' },
    last: ['stt "" final', 'mute'],
  })
  expect(after(toListening, { type: 'timer', name: 'silence', turn: 'a' }).last).toEqual(['stt "" final', 'mute'])
  expect(after(toHeard, { type: 'timer', name: 'silence', turn: 'a' }).last).toEqual([])
})

test('listen stop without any speech ends mute', () => {
  expect(after(toListening, { type: 'listen-stop' }, { type: 'drained', turn: 'a' }).last).toEqual([
    'stt "" final',
    'mute',
  ])
})

test('a typed turn in idle says its text, and is played like any other', () => {
  expect(after(toIdle, typed('t'))).toMatchObject({
    state: { at: 'thinking', turn: 't' },
    last: ['stt "hello" final', 'open t'],
  })
})

test('an announcement has no stt', () => {
  const announcement: Input = { type: 'open', opening: { turn: 't', source: 'announcement', text: 'x' } }
  expect(after(toIdle, announcement).last).toEqual(['open t'])
})

test('a typed turn waits until the session is idle, in order', () => {
  const waiting = [...toSpeaking, typed('t'), typed('u')]
  expect(fold(waiting)).toMatchObject({ state: { at: 'speaking', turn: 'a' }, last: [] })
  expect(after(waiting, { type: 'played', turn: 'a' })).toMatchObject({
    state: { at: 'thinking', turn: 't' },
    last: ['tts stop', 'stt "hello" final', 'open t'],
  })
  expect(after(waiting, { type: 'abort' }, { type: 'abort' })).toMatchObject({ state: { turn: 'u' } })
})

test('a typed turn that comes before the hello waits for it', () => {
  expect(fold([{ type: 'opened' }, typed('t'), { type: 'agreed', hello }]).last).toEqual([
    'hello',
    'stt "hello" final',
    'open t',
  ])
})

test('a slow board gets its error, its tts stop, and idle', () => {
  expect(after(toSpeaking, { type: 'cut', turn: 'a', code: 'slow_consumer' })).toMatchObject({
    state: { at: 'idle' },
    last: ['error slow_consumer', 'cancel', 'tts stop'],
  })
})

test('a failed stage is told before the reply, which still comes', () => {
  expect(after(toThinking, { type: 'failure', turn: 'a', code: 'asr_failed' })).toMatchObject({
    state: { at: 'thinking' },
    last: ['error asr_failed'],
  })
})

test('a reply of which nothing could be made still gives the board its pair', () => {
  expect(after(toTranscribed, { type: 'played', turn: 'a' })).toMatchObject({
    state: { at: 'idle' },
    last: ['processing llm', 'tts start', 'tts stop'],
  })
})

test('hearing that fails from outside ends the utterance with an answer', () => {
  expect(after(toHeard, { type: 'speech-end', turn: 'a', by: 'failure' }).last).toEqual([
    'vad speech_end',
    'answer by failure',
  ])
})

test('a board that leaves cancels its turn and forgets what waited', () => {
  expect(after(toSpeaking, typed('t'), { type: 'closed' })).toMatchObject({
    state: { at: 'idle', waiting: [] },
    last: ['cancel', 'forget t'],
  })
})

test('every tts start is followed by exactly one tts stop, whatever comes', () => {
  const pool: Input[] = [
    ...toSpeaking.slice(2),
    { type: 'abort' },
    { type: 'frame', bytes },
    { type: 'played', turn: 'a' },
    { type: 'listen-stop' },
    { type: 'cut', turn: 'a', code: 'slow_consumer' },
    typed('a'),
    { type: 'drained', turn: 'a' },
  ]
  let seed = 7
  const random = (max: number) => (seed = (seed * 16807) % 2147483647) % max
  for (let run = 0; run < 300; run++) {
    const inputs = Array.from({ length: 60 }, () => pool[random(pool.length)]!)
    const { all } = fold([...toIdle, ...inputs, { type: 'abort' }, ...Array<Input>(60).fill({ type: 'abort' })])
    const pairs = all.filter((effect) => effect === 'tts start' || effect === 'tts stop')
    expect(pairs.every((effect, index) => effect === (index % 2 === 0 ? 'tts start' : 'tts stop'))).toBe(true)
    expect(pairs.length % 2).toBe(0)
  }
})
