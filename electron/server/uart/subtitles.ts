import type { Turn } from '../../contract/conversation.ts'
import type { BoardLine } from '../../contract/uart-wire.ts'

export interface Subtitles {
  /** What the turn says now and did not say before, as lines to the microcontroller (uart-mcp.md §3). */
  follow(turn: Pick<Turn, 'id' | 'status' | 'replyText'>): BoardLine[]
}

const longestText = 1_000

/** Each sentence starts with its words and ends with the next one, or with the turn. */
export function createSubtitles(): Subtitles {
  const open = new Map<string, { said: number; shown: boolean }>()
  return {
    follow({ id, status, replyText }) {
      const state = open.get(id) ?? { said: 0, shown: false }
      const lines: BoardLine[] = []
      const text = replyText.slice(state.said).trim()
      if (text !== '') {
        if (state.shown) lines.push({ type: 'subtitle-end' })
        lines.push({ type: 'subtitle', text: text.slice(0, longestText), ...moodOf(text, status) })
        state.said = replyText.length
        state.shown = true
      }
      if (status === 'running') open.set(id, state)
      else {
        open.delete(id)
        if (state.shown) lines.push({ type: 'subtitle-end' })
      }
      return lines
    },
  }
}

type Mood = Pick<Extract<BoardLine, { type: 'subtitle' }>, 'emoji' | 'emotion'>

/** A face for the display, from the words: the engines of this version tell no feeling. */
function moodOf(text: string, status: Turn['status']): Mood {
  if (status === 'failed' || /sorry|can't|could not|not allowed|抱歉|没能|不能|不允许|没听懂/i.test(text))
    return { emoji: '😔', emotion: 'sad' }
  if (/[?？]\s*$/.test(text)) return { emoji: '🤔', emotion: 'thinking' }
  return { emoji: '😊', emotion: 'happy' }
}
