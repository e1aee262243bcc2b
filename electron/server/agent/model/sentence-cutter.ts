import { splitSpeech } from '../thinking/sentences.ts'

/**
 * A sentence that is over: something follows it, so that a closing quote or "3.5" is not cut off. The number of a list's
 * row ends none.
 */
const ended = /^[^]*?(?:[。！？!?；;\n]+["'”’)」』]*|(?<!(?:^|\n)\s*\d+)\.["'”’)]*(?=\s))(?=[^])/
/** The first sentence is long: its first clause may sound while the rest is made (voice.md check 13). */
const firstClause = /^[^]{40,}?(?:[，、：—]|[,:](?=\s))(?=[^])/
const firstClauseAt = 60
/** A model that thinks aloud (Qwen 3, DeepSeek R1): nobody wants to hear that. */
const thoughtBegins = '<think>'
const thoughtEnds = '</think>'

/** Text as it streams in → sentences to speak, each as soon as it is whole. Thoughts and Markdown are left out. */
export function createSentenceCutter() {
  const thoughts = createThoughtFilter()
  let open = ''
  let any = false

  function cut(): string[] {
    const out: string[] = []
    for (;;) {
      const found = ended.exec(open) ?? (!any && open.length > firstClauseAt ? firstClause.exec(open) : null)
      if (!found) return out
      const pieces = spoken(found[0])
      any ||= pieces.length > 0
      out.push(...pieces)
      open = open.slice(found[0].length)
    }
  }

  return {
    push(text: string): string[] {
      open += thoughts.push(text)
      return cut()
    },
    /** What is left when the answer is over. */
    end(): string[] {
      open += thoughts.end()
      const out = [...cut(), ...spoken(open)]
      open = ''
      return out
    },
  }
}

function spoken(text: string): string[] {
  const plain = text
    .replace(/\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/^\s*(?:#{1,6}|[-*+]|\d+\.|>)\s+/gm, '')
    .replace(/[*`]+|_{2,}/g, '')
  return splitSpeech(plain)
}

function createThoughtFilter() {
  let held = ''
  let thinking = false

  return {
    push(text: string): string {
      held += text
      let out = ''
      for (;;) {
        const mark = thinking ? thoughtEnds : thoughtBegins
        const at = held.indexOf(mark)
        if (at === -1) break
        if (!thinking) out += held.slice(0, at)
        held = held.slice(at + mark.length)
        thinking = !thinking
      }
      // A mark that has only begun waits for its rest.
      const keep = begunMark(held, thinking ? thoughtEnds : thoughtBegins)
      if (!thinking) out += held.slice(0, held.length - keep)
      held = held.slice(held.length - keep)
      return out
    },
    end: () => (thinking ? '' : held),
  }
}

/** How many characters at the end of the text are the begin of the mark. */
function begunMark(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (mark.startsWith(text.slice(-length))) return length
  }
  return 0
}
