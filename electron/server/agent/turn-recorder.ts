import { toAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import { createLiveFeed, type LiveFeed } from '../../base/live-feed.ts'
import type { Log } from '../../base/log.ts'
import type { Announced, Stage, StageName, Turn, TurnEvent, TurnSource } from '../../contract/conversation.ts'
import type { ToolCall } from '../../contract/tool.ts'
import type { TurnStore } from '../store/store.ts'

export interface TurnInit {
  readonly id: string
  readonly sessionId: string
  readonly deviceId: string
  readonly deviceName: string
  readonly agent: string
  readonly source: TurnSource
  /** Of an announcement: what it is, and by whom. */
  readonly announced?: Announced
  readonly language: Turn['language']
  /** Typed turns have their text from the start. */
  readonly text?: string | undefined
}

type Detail = Stage['detail']

export interface StageSpan {
  /** The first end counts. `error` is an error code. */
  end(result?: { readonly detail?: Detail; readonly error?: string }): void
}

/** One turn while it runs. After its end every call changes nothing: late results of an aborted turn are normal. */
export interface TurnRecord {
  readonly turn: Turn
  change(change: Partial<Pick<Turn, 'language' | 'userText' | 'userTextFinal' | 'confidence' | 'toolsOffered'>>): void
  addReply(text: string): void
  /** An error code that says why something is missing. */
  note(code: string): void
  /** The first one is the turn's error. */
  fail(code: string): void
  begin(stage: StageName, detail?: Detail): StageSpan
  addCall(call: ToolCall): void
  /** Somebody speaks: from here on the turn is shown and kept, whatever comes of it. */
  speechBegan(): void
  speechEnded(at: number): void
  firstFrame(at: number): void
  /** Done, or failed where a stage failed; open stages end with it. The first end counts. */
  end(status: 'done' | 'aborted' | 'mute', audioMs?: number): void
}

export interface TurnRecorder {
  /** Every change of every turn in which something happened, each with the whole turn. */
  readonly feed: LiveFeed<TurnEvent>
  /** Those that run, and those that have just ended and are being stored. */
  running(): Turn[]
  /** Turns that ended before anything happened in them: neither shown nor stored. */
  readonly empty: number
  open(init: TurnInit): TurnRecord
  /** Resolves when every ended turn was stored, or could not be. */
  settled(): Promise<void>
}

export function createTurnRecorder(options: {
  readonly store: Pick<TurnStore, 'put'>
  readonly clock: Clock
  readonly log: Log
}): TurnRecorder {
  const { store, clock } = options
  const log = options.log.child('turns')
  const feed = createLiveFeed<TurnEvent>()
  const running = new Map<string, Turn>()
  const publish = (turn: Turn) => feed.publish((revision) => ({ revision, turn }))
  const writes = createTurnWrites({ store, log, publish })
  let empty = 0

  function leaveOut(turn: Turn): void {
    empty += 1
    log.debug('nothing happened in a turn', { turn: turn.id, device: turn.deviceId, status: turn.status, empty })
  }

  function follow(): (turn: Turn, heard: boolean) => void {
    let kept: Turn | undefined
    return (turn, heard) => {
      const ended = turn.status !== 'running'
      if (!kept && !heard && isEmpty(turn)) {
        if (ended) leaveOut(turn)
        return
      }
      publish(turn)
      // Until it is stored an ended turn is found here, so that nobody who asks for it misses it.
      running.set(turn.id, turn)
      if (ended) return writes.ended(turn, () => running.delete(turn.id))
      if (kept && !isMilestone(kept, turn)) return
      kept = turn
      writes.running(turn)
    }
  }

  return {
    feed,
    running: () => [...running.values()],
    get empty() {
      return empty
    },
    open: (init) => createTurnRecord(newTurn(init, clock.now()), clock, follow()),
    settled: () => writes.settled(),
  }
}

/** A store that fails never hurts the conversation; the turn says so as long as it is shown. */
function createTurnWrites(options: {
  readonly store: Pick<TurnStore, 'put'>
  readonly log: Log
  readonly publish: (turn: Turn) => void
}) {
  const { store, log, publish } = options
  const writes = new Set<Promise<void>>()

  async function keep(turn: Turn): Promise<void> {
    try {
      await store.put(turn)
    } catch (error) {
      const { code } = toAppError(error)
      log.warn('turn not stored', { turn: turn.id, error })
      publish({ ...turn, notes: [...turn.notes, code === 'server-disk-full' ? code : 'server-store-failed'] })
    }
  }

  return {
    /** What a kill must not take with it; that it could not be kept is told when the turn ends. */
    running(turn: Turn): void {
      store.put(turn).catch((error: unknown) => log.warn('running turn not stored', { turn: turn.id, error }))
    },
    ended(turn: Turn, onSettled: () => void): void {
      const write = keep(turn).finally(() => {
        onSettled()
        writes.delete(write)
      })
      writes.add(write)
    },
    async settled(): Promise<void> {
      await Promise.all(writes)
    },
  }
}

function newTurn({ text, ...init }: TurnInit, startedAt: number): Turn {
  return {
    ...init,
    status: 'running',
    startedAt,
    endedAt: null,
    userText: init.source === 'typed' ? (text ?? '') : '',
    userTextFinal: init.source !== 'voice',
    confidence: null,
    replyText: '',
    toolsOffered: [],
    calls: [],
    stages: [],
    speechEndedAt: null,
    firstFrameAt: null,
    replyMs: null,
    audioMs: null,
    notes: [],
    errorCode: null,
  }
}

/**
 * Nothing heard, said, typed, called or wrong. A person asked for a typed turn or an announcement: never empty. Nor is
 * a microphone that was listened to up to its end without hearing speech: it may be broken.
 */
function isEmpty(turn: Turn): boolean {
  const { source, status, userText, replyText, calls, notes, errorCode, speechEndedAt, stages } = turn
  return (
    source === 'voice' &&
    status !== 'mute' &&
    speechEndedAt === null &&
    `${userText}${replyText}`.trim() === '' &&
    calls.length + notes.length === 0 &&
    errorCode === null &&
    stages.every(({ error }) => error === null)
  )
}

/** Worth a write of its own while the turn runs: what was understood, and what was done. Partial texts are not. */
function isMilestone(kept: Turn, turn: Turn): boolean {
  return (turn.userTextFinal && !kept.userTextFinal) || turn.calls.length > kept.calls.length
}

function createTurnRecord(first: Turn, clock: Clock, tell: (turn: Turn, heard: boolean) => void): TurnRecord {
  let turn = first
  let heard = false
  tell(turn, heard)

  function set(change: Partial<Turn>): void {
    if (turn.status !== 'running') return
    turn = { ...turn, ...change }
    tell(turn, heard)
  }

  function begin(stage: StageName, detail: Detail = {}): StageSpan {
    let span: Stage = { stage, startedAt: clock.now(), endedAt: null, detail, error: null }
    set({ stages: [...turn.stages, span] })
    return {
      end(result = {}) {
        if (span.endedAt !== null) return
        const ended: Stage = {
          ...span,
          endedAt: clock.now(),
          detail: { ...span.detail, ...result.detail },
          error: result.error ?? null,
        }
        set({ stages: turn.stages.map((other) => (other === span ? ended : other)) })
        span = ended
      },
    }
  }

  return {
    get turn() {
      return turn
    },
    change: set,
    addReply: (text) => set({ replyText: turn.replyText === '' ? text : joinSentences(turn.replyText, text) }),
    note: (code) => set(turn.notes.includes(code) ? {} : { notes: [...turn.notes, code] }),
    fail: (code) => set({ errorCode: turn.errorCode ?? code }),
    begin,
    addCall: (call) => set({ calls: [...turn.calls, call] }),
    speechBegan() {
      if (heard) return
      heard = true
      set({})
    },
    speechEnded: (at) => set({ speechEndedAt: at }),
    firstFrame(at) {
      if (turn.firstFrameAt !== null) return
      const since = turn.source === 'voice' ? turn.speechEndedAt : turn.startedAt
      set({ firstFrameAt: at, replyMs: since === null ? null : at - since })
    },
    end(status, audioMs) {
      const endedAt = clock.now()
      set({
        status: status === 'done' && turn.errorCode !== null ? 'failed' : status,
        endedAt,
        audioMs: audioMs ?? null,
        stages: turn.stages.map((stage) => (stage.endedAt === null ? { ...stage, endedAt } : stage)),
      })
    },
  }
}

function joinSentences(before: string, after: string): string {
  return /[。！？，、；：]$/.test(before) ? before + after : `${before} ${after}`
}
