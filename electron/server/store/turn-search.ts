/**
 * Search text of history: every Han character (and kana) stands alone as one token, so that a quoted phrase has exact
 * substring meaning at any length, next to whole Latin words. Words, bigrams and trigrams all miss some
 * (recipes-server-audio.md §9).
 */
export function searchShadow(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, ' $& ')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * The FTS5 query for what a person typed: each piece between blanks is a phrase, all must occur, the last one may be
 * the beginning of a word (people look while they type). `undefined` when there is nothing to look for.
 */
export function searchQuery(text: string): string | undefined {
  const pieces = text
    .normalize('NFKC')
    .split(/\s+/)
    .map((piece) => searchShadow(piece.replaceAll('\0', '')))
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece))
    .slice(0, 16)
  if (pieces.length === 0) return undefined
  return pieces.map((piece) => `"${piece.replaceAll('"', '""')}"`).join(' AND ') + ' *'
}
