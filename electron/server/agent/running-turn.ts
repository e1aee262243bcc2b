import type { AppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Announced } from '../../contract/conversation.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { ToolVersion } from '../../contract/tool.ts'
import type { ToolHost } from '../tools/tool-host.ts'
import type { Hearing, Speaking, SpokenLanguage, Thinking } from './providers.ts'
import { createSpeech, type Speech } from './speech.ts'
import type { TurnOutput } from './turn-output.ts'
import type { TurnRecord, TurnRecorder } from './turn-recorder.ts'

export interface TurnOptions {
  readonly id: string
  readonly sessionId: string
  readonly deviceId: string
  readonly deviceName: string
  /** What the board said that it speaks; else the agent's own language. */
  readonly language?: SpokenLanguage | undefined
  /** What the board wants the agent to know (iotta-protocol.md §3, `context`). */
  readonly context: Readonly<Record<string, unknown>>
  readonly output: TurnOutput
  readonly signal: AbortSignal
}

/** Times are ms since epoch. `by`: silence, listen-stop, too-long, failure. */
export interface EndOfSpeech {
  readonly speechEndedAt: number
  readonly by: string
  /** What broke the hearing from outside: the codec of the session, say. */
  readonly failure?: AppError | undefined
}

/** One turn; aborting its signal ends it at once, and nothing of it follows. */
export interface AgentTurn {
  /** 16 kHz mono, until the end of speech. */
  hear(pcm: Int16Array): void
  /** Somebody speaks. */
  speechBegan(): void
  endOfSpeech(end: EndOfSpeech): void
  /** Nobody spoke. */
  mute(): void
  firstFrame(at: number): void
  /** Why it is about to be cut, as an error code. */
  fail(code: ErrorCode): void
  /** Resolves when the turn is over; never rejects. */
  readonly over: Promise<void>
}

export interface AgentOptions {
  readonly name: string
  readonly language: SpokenLanguage
  readonly hearing: Hearing
  readonly thinking: Thinking
  readonly speaking: Speaking
  readonly tools: Pick<ToolHost, 'vocabulary' | 'callTool' | 'consents'> & Partial<Pick<ToolHost, 'withheld'>>
  readonly recorder: TurnRecorder
  readonly clock: Clock
  readonly log: Log
}

/** What the stages of one turn share. */
export interface RunningTurn extends TurnOptions {
  readonly record: TurnRecord
  readonly speech: Speech
  readonly vocabulary: Promise<readonly ToolVersion[]>
  /** What a rule leaves out here: understood, so that the answer is that it may not be. Never rejects. */
  readonly withheld: Promise<readonly ToolVersion[]>
}

export interface TurnSourceText {
  readonly source: 'voice' | 'typed' | 'announcement'
  readonly text?: string
  readonly announced?: Announced
}

export function beginTurn(turn: TurnOptions, from: TurnSourceText, options: AgentOptions): RunningTurn {
  const { clock, log } = options
  const language = languageOf(from.text) ?? turn.language ?? options.language
  const { id, sessionId, deviceId, deviceName, output, signal } = turn
  const record = options.recorder.open({
    id,
    sessionId,
    deviceId,
    deviceName,
    agent: options.name,
    language,
    ...from,
  })
  signal.addEventListener('abort', () => record.end('aborted'))
  if (signal.aborted) record.end('aborted')
  const speech = createSpeech({ speaking: options.speaking, output, record, clock, log, signal })
  const unknown = (error: unknown) => {
    log.warn('the tools of a board are not known', { deviceId, error })
    return []
  }
  const vocabulary = options.tools.vocabulary(deviceId).catch(unknown)
  const withheld = vocabulary.then(() => options.tools.withheld?.(deviceId) ?? []).catch(unknown)
  return { ...turn, record, speech, vocabulary, withheld }
}

/** Chinese characters decide; a text of digits says nothing. */
export function languageOf(text: string | undefined): SpokenLanguage | undefined {
  if (text === undefined) return undefined
  if (/\p{Script=Han}/u.test(text)) return 'zh'
  return /\p{L}/u.test(text) ? 'en' : undefined
}
