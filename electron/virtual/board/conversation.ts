import { AppError } from '../../base/app-error.ts'
import { withDeadline } from '../../base/deadline.ts'
import { type BoardEvent, type BoardTurn, type FromServer, parseFromServer } from './board-events.ts'
import { createLoudspeaker, type Loudspeaker } from './loudspeaker.ts'
import { createMicrophone, type Microphone, type MicrophoneOptions } from './microphone.ts'

export interface ConversationOptions {
  readonly id: string
  readonly frameDuration: 20 | 40 | 60
  readonly codecs: readonly ('opus' | 'pcm')[]
  readonly link: Pick<MicrophoneOptions, 'loss' | 'jitterMs' | 'random' | 'fec'>
  readonly send: (data: string | Uint8Array) => void
  readonly emit: (event: BoardEvent) => void
  /** Decoded sound, for a speaker or a level meter. */
  readonly onSound?: (pcm: Int16Array, sampleRate: number) => void
}

/** The session channel as a board lives it (iotta-protocol §3): hello, utterances, replies. */
export interface Conversation {
  opened(): void
  receive(data: string | Uint8Array): void
  closed(): void
  readonly ready: boolean
  /** Says 16 kHz mono samples into the microphone and waits for the end of the reply. Rejects when the session ends. */
  say(pcm: Int16Array, said: string): Promise<BoardTurn>
  abort(): void
  readonly framesIn: number
  readonly framesOut: number
  readonly bytes: number
  close(): void
}

const sampleRate = 16_000
const turnPatienceMs = 90_000

interface OpenTurn {
  readonly said: string
  text: string
  reply: string[]
  spokenAt: number | null
  heardSpeech: boolean
  readonly end: PromiseWithResolvers<BoardTurn>
}

/** One board's session while it lasts; the functions below are its reactions. */
interface Inner {
  readonly options: ConversationOptions
  readonly speaker: Loudspeaker
  microphone: Microphone | undefined
  ready: boolean
  turn: OpenTurn | undefined
  framesIn: number
}

export function createConversation(options: ConversationOptions): Conversation {
  const speaker = createLoudspeaker(options.onSound)
  const it: Inner = { options, speaker, microphone: undefined, ready: false, turn: undefined, framesIn: 0 }
  return {
    opened: () => introduce(it),
    receive(data) {
      if (typeof data === 'string') {
        const message = parseFromServer(data)
        if (message) hear(it, message)
        return
      }
      it.framesIn += 1
      speaker.play(data)
    },
    closed() {
      it.ready = false
      it.microphone?.stop()
      it.turn?.end.reject(new AppError('console-connection-lost', 'The session ended during the turn'))
      it.turn = undefined
      show(it, 'offline')
    },
    get ready() {
      return it.ready
    },
    say: (pcm, said) => say(it, pcm, said),
    abort() {
      it.microphone?.stop()
      options.send(JSON.stringify({ type: 'abort' }))
    },
    get framesIn() {
      return it.framesIn
    },
    get framesOut() {
      return it.microphone?.framesSent ?? 0
    },
    get bytes() {
      return speaker.bytes
    },
    close() {
      it.microphone?.close()
      speaker.close()
    },
  }
}

function show({ options }: Inner, state: 'idle' | 'listening' | 'thinking' | 'speaking' | 'offline'): void {
  options.emit({ event: 'state', id: options.id, state })
}

function introduce({ options }: Inner): void {
  const audio = { codecs: options.codecs, sample_rate: sampleRate, channels: 1, frame_duration: options.frameDuration }
  options.send(JSON.stringify({ type: 'hello', audio, features: { tools: true, speaker: true } }))
}

async function say(it: Inner, pcm: Int16Array, said: string): Promise<BoardTurn> {
  if (!it.ready || !it.microphone) throw new AppError('tool-unreachable', `The board ${it.options.id} has no session`)
  const own = openTurn(said)
  it.turn?.end.reject(new AppError('tool-cancelled', 'A new utterance began'))
  it.turn = own
  it.options.send(JSON.stringify({ type: 'listen', state: 'start' }))
  show(it, 'listening')
  own.spokenAt = await it.microphone.play(pcm)
  return withDeadline(own.end.promise, turnPatienceMs, {
    code: 'server-timeout',
    message: `No reply to "${said}" in 90 s`,
  })
}

function hear(it: Inner, message: FromServer): void {
  const { emit, id } = it.options
  switch (message.type) {
    case 'hello':
      return greet(it, message)
    case 'vad':
      return onVad(it, message.state)
    case 'stt':
      return onTranscript(it, message)
    case 'tts':
      return onSpeech(it, message)
    case 'control':
      return emit({ event: 'control', id, action: message.action })
    case 'error':
      return emit({ event: 'error', id, code: message.code, message: message.message, fatal: message.fatal })
    case 'processing':
    case 'context':
      return
  }
}

function greet(it: Inner, message: Extract<FromServer, { type: 'hello' }>): void {
  const output = message.output_audio
  if (output) {
    it.speaker.configure({
      codec: output.codec,
      sampleRate: output.sample_rate,
      channels: output.channels,
      frameDuration: output.frame_duration,
    })
  }
  it.microphone?.close()
  it.microphone = createMicrophone({
    ...it.options.link,
    codec: message.input_audio?.codec ?? it.options.codecs[0] ?? 'opus',
    sampleRate,
    frameDuration: it.options.frameDuration,
    send: it.options.send,
  })
  it.ready = true
  it.options.emit({ event: 'session', id: it.options.id, session: message.session_id })
  show(it, 'idle')
}

function onVad(it: Inner, state: string): void {
  it.options.emit({ event: 'vad', id: it.options.id, state })
  if (state === 'speech_start' && it.turn) it.turn.heardSpeech = true
  if (state !== 'speech_end') return
  it.microphone?.stop()
  show(it, 'thinking')
}

function onTranscript(it: Inner, message: Extract<FromServer, { type: 'stt' }>): void {
  it.options.emit({ event: 'stt', id: it.options.id, text: message.text, final: message.final })
  if (!message.final) return
  // Typed in the console: the server opened this turn, the board did not.
  it.turn ??= openTurn('')
  it.turn.text = message.text
  // No speech at all: idle, and no reply follows (§3.1).
  if (message.text === '' && !it.turn.heardSpeech) endTurn(it)
}

function onSpeech(it: Inner, message: Extract<FromServer, { type: 'tts' }>): void {
  const text = message.text === undefined ? {} : { text: message.text }
  it.options.emit({ event: 'tts', id: it.options.id, state: message.state, ...text })
  if (message.state === 'start') {
    it.turn ??= openTurn('')
    it.speaker.start()
    show(it, 'speaking')
  } else if (message.state === 'sentence_start' && message.text !== undefined) it.turn?.reply.push(message.text)
  else if (message.state === 'stop') endTurn(it)
}

function endTurn(it: Inner): void {
  const heard = it.speaker.stop()
  it.microphone?.stop()
  const ended = it.turn
  it.turn = undefined
  show(it, 'idle')
  if (!ended) return
  const result: BoardTurn = {
    said: ended.said,
    text: ended.text,
    reply: ended.reply.join(' '),
    first_audio_ms: heard.firstAt === null || ended.spokenAt === null ? null : round(heard.firstAt - ended.spokenAt),
    frames: heard.frames,
    late: heard.late,
    level: round(heard.level),
    audio_ms: round(heard.audioMs),
  }
  it.options.emit({ event: 'turn', id: it.options.id, ...result })
  ended.end.resolve(result)
}

function openTurn(said: string): OpenTurn {
  const end = Promise.withResolvers<BoardTurn>()
  // Nobody waits for a turn that the server opened, and nobody may wait any more for one that was spoken.
  end.promise.catch(() => undefined)
  return { said, text: '', reply: [], spokenAt: null, heardSpeech: false, end }
}

const round = (value: number) => Math.round(value * 10) / 10
