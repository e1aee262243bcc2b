import type { Stage, StageName, Turn } from '../../electron/contract/conversation.ts'

export const stageOrder: readonly StageName[] = ['vad', 'asr', 'llm', 'tool', 'tts']

/** One bar. `left` and `width` are percent of the turn's window; streaming stages overlap, and are drawn so. */
export interface Span {
  readonly left: number
  readonly width: number
  readonly ms: number
  readonly running: boolean
  readonly stage: Stage
}

/** `reported` false: nobody measured it, which is drawn as a word and never as zero. */
export interface StageRow {
  readonly name: StageName
  readonly spans: readonly Span[]
  readonly ms: number | null
  readonly reported: boolean
  /** A typed turn has no voice to cut and hear: the row is absent by nature, not by lack of measurement. */
  readonly expected: boolean
  readonly failed: boolean
}

export interface StageLayout {
  readonly from: number
  readonly to: number
  readonly rows: readonly StageRow[]
  /** Where the headline starts and ends, in percent of the window. */
  readonly speechEnd: number | null
  readonly firstFrame: number | null
  readonly ticks: readonly { readonly left: number; readonly ms: number }[]
}

const MIN_WINDOW_MS = 200
const MIN_WIDTH = 0.6
const STEPS = [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000]

/** The window of a turn: everything that was measured in it, and for a running turn up to `now`. */
function windowOf(turn: Turn, now: number): { from: number; to: number } {
  const starts = turn.stages.map((stage) => stage.startedAt)
  const ends = turn.stages.map((stage) => stage.endedAt ?? now)
  const marks = [turn.speechEndedAt, turn.firstFrameAt].filter((mark) => mark !== null)
  const from = Math.min(...starts, ...marks, starts.length ? Infinity : turn.startedAt)
  const to = Math.max(...ends, ...marks, from + MIN_WINDOW_MS)
  return { from, to }
}

function ticksOf(length: number) {
  const step = STEPS.find((candidate) => length / candidate <= 6) ?? 120_000
  const count = Math.floor(length / step)
  return Array.from({ length: count + 1 }, (_, index) => ({ left: ((index * step) / length) * 100, ms: index * step }))
}

/** Time covered by the spans, counted once where they overlap. */
function unionMs(spans: readonly { readonly from: number; readonly to: number }[]): number {
  let covered = 0
  let end = -Infinity
  for (const { from, to } of [...spans].sort((left, right) => left.from - right.from)) {
    covered += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return covered
}

/** Lays a turn out as bars. `now` (ms since epoch, server's clock) ends the stages that still run. */
export function layoutTurn(turn: Turn, now: number): StageLayout {
  const { from, to } = windowOf(turn, now)
  const length = to - from
  const percent = (at: number) => Math.min(100, Math.max(0, ((at - from) / length) * 100))
  const rows = stageOrder.map((name): StageRow => {
    const stages = turn.stages.filter((stage) => stage.stage === name)
    const spans = stages.map((stage): Span => {
      const end = stage.endedAt ?? Math.max(now, stage.startedAt)
      const left = percent(stage.startedAt)
      const width = Math.min(Math.max(MIN_WIDTH, percent(end) - left), 100 - Math.min(left, 100 - MIN_WIDTH))
      return {
        left: Math.min(left, 100 - MIN_WIDTH),
        width,
        ms: end - stage.startedAt,
        running: stage.endedAt === null,
        stage,
      }
    })
    return {
      name,
      spans,
      ms: stages.length ? unionMs(stages.map((stage) => ({ from: stage.startedAt, to: stage.endedAt ?? now }))) : null,
      reported: stages.length > 0,
      expected: isExpected(name, turn),
      failed: stages.some((stage) => stage.error !== null),
    }
  })
  return {
    from,
    to,
    rows,
    speechEnd: turn.speechEndedAt === null ? null : percent(turn.speechEndedAt),
    firstFrame: turn.firstFrameAt === null ? null : percent(turn.firstFrameAt),
    ticks: ticksOf(length),
  }
}

function isExpected(name: StageName, turn: Turn): boolean {
  if (name === 'vad' || name === 'asr') return turn.source === 'voice'
  if (name === 'llm') return turn.source !== 'announcement'
  if (name === 'tool') return turn.calls.length > 0
  return true
}
