import type { SpokenLanguage } from '../providers.ts'
import { normaliseWords } from './normalise.ts'

/** Windows that are tried: enough for a window of 40 words that begins at one of three places. */
const maxTries = 120

/**
 * A gap of free text in the words that the person used: normalising took its articles, capitals and number words
 * ("water plants" → "water the plants"). Falls back to the normalised text.
 */
export function ownWords(captured: string, raw: string, language: SpokenLanguage): string {
  const found = wordsAsSaid(captured, raw, language)
  return language === 'en' ? withArticle(found, raw) : found
}

/** "Announce the bus is here": a statement keeps its first article. A short name does without: "add the milk". */
function withArticle(found: string, raw: string): string {
  if (found.split(' ').length < 3) return found
  const at = raw.lastIndexOf(found)
  if (at < 0 || /[\p{L}\p{N}]/u.test(raw.slice(at + found.length))) return found
  const article = /(?<![\p{L}\p{N}])(?:the|a|an|my|our|this|that|these|those)\s+$/iu.exec(raw.slice(0, at))?.[0] ?? ''
  // "Note that …" and "tell them that …": there it joins the sentences.
  return /^that/i.test(article) ? found : article + found
}

function wordsAsSaid(captured: string, raw: string, language: SpokenLanguage): string {
  const at = raw.toLowerCase().indexOf(captured)
  if (at >= 0 && (language === 'zh' || isWhole(raw, at, captured.length))) return raw.slice(at, at + captured.length)
  const pieces = [...raw.matchAll(language === 'en' ? /[^\s]+/g : /./gsu)]
  const first = captured.split(language === 'en' ? ' ' : '')[0] ?? ''
  let tries = 0
  for (const [from, piece] of pieces.entries()) {
    const opening = normaliseWords(piece[0], language)
    if (opening === '' || !(captured.startsWith(opening) || /^\d/.test(first))) continue
    for (let to = from; to < pieces.length && tries < maxTries; to++) {
      const last = pieces[to]
      if (!last) break
      const window = raw.slice(piece.index, last.index + last[0].length)
      tries++
      const said = normaliseWords(window, language)
      if (said === captured) return window.replace(/[.,!?;:，。！？；：]+$/u, '')
      if (said.length > captured.length + 8) break
    }
  }
  return captured
}

/** "art" is no word of "start". */
function isWhole(raw: string, at: number, length: number): boolean {
  return !/[\p{L}\p{N}]/u.test(raw[at - 1] ?? ' ') && !/[\p{L}\p{N}]/u.test(raw[at + length] ?? ' ')
}
