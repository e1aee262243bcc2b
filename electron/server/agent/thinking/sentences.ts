/** Synthesis of one piece cannot be interrupted, so it stays short (recipes-server-audio.md §5: 2 000 words took 11 s). */
const longestPiece = 200
const firstClauseAt = 60
const maxTextLength = 4000

/** After these a sentence may end; a point between digits is a decimal one. */
const sentenceEnd = /[。！？!?；;\n]+["'”’)]*|\.(?!\d)["'”’)]*(?=\s|$)/g
/** A comma between digits groups them ("1,000"), a colon tells the time. */
const clauseEnd = /[，、：—]+|(?<!\d),|,(?!\d)|:(?!\d)/g

function cutAfter(text: string, ends: RegExp): string[] {
  const parts: string[] = []
  let from = 0
  for (const match of text.matchAll(ends)) {
    const to = match.index + match[0].length
    parts.push(text.slice(from, to))
    from = to
  }
  parts.push(text.slice(from))
  return parts.map((part) => part.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part))
}

/** Joins neighbours while they fit, so that a sentence of many commas is not spoken in crumbs. */
function gather(parts: readonly string[], max: number): string[] {
  const out: string[] = []
  for (const part of parts) {
    const last = out.at(-1)
    const joined = last === undefined ? part : /[。！？，、；：]$/.test(last) ? last + part : `${last} ${part}`
    if (last !== undefined && joined.length <= max) out[out.length - 1] = joined
    else out.push(part)
  }
  return out
}

/** A word, a number or one Chinese character: what may not be cut. */
function atoms(text: string): string[] {
  return text.match(/\s*(?:-?\d[\d.,:]*%?|[^\s\u3400-\u9fff]+|[\u3400-\u9fff])/g) ?? []
}

function hardCut(text: string, max: number): string[] {
  const out: string[] = ['']
  for (const atom of atoms(text)) {
    for (let from = 0; from < atom.length; from += max) {
      const piece = atom.slice(from, from + max)
      if ((out.at(-1) ?? '').length + piece.length > max) out.push(piece.trimStart())
      else out.push((out.pop() ?? '') + piece)
    }
  }
  return out.map((part) => part.trim()).filter((part) => part !== '')
}

/**
 * A reply as pieces to speak one after the other, each at most `max` (200) characters, never cut inside a number. A long
 * first sentence gives its first clause away, so that it sounds while the rest is made. Text beyond 4 000 characters is
 * dropped: nobody listens for five minutes.
 */
export function splitSpeech(text: string, max = longestPiece): string[] {
  const kept = text.length > maxTextLength ? text.slice(0, maxTextLength) : text
  const pieces = cutAfter(kept.replace(/[\p{Cc}\p{Cs}]+/gu, ' '), sentenceEnd).flatMap((sentence) => {
    if (sentence.length <= max) return [sentence]
    return gather(cutAfter(sentence, clauseEnd), max).flatMap((clause) =>
      clause.length <= max ? [clause] : hardCut(clause, max),
    )
  })
  const [first, ...rest] = pieces
  if (first === undefined || first.length < firstClauseAt) return pieces
  const [clause, ...others] = cutAfter(first, clauseEnd)
  if (clause === undefined || others.length === 0) return pieces
  return [clause, ...gather(others, max), ...rest]
}
