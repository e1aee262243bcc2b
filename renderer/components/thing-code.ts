export interface CodePiece {
  readonly text: string
  readonly kind: 'plain' | 'comment' | 'string' | 'word' | 'number' | 'directive'
}

const words =
  'auto|bool|break|case|char|class|const|constexpr|double|else|enum|explicit|false|float|for|if|int|int32_t|long|namespace|new|nullptr|NULL|null|override|private|public|return|size_t|static|std|string|struct|switch|template|this|true|uint8_t|using|virtual|void|while'
const code = new RegExp(
  [
    '(?<comment>//[^\\n]*|/\\*[\\s\\S]*?\\*/)',
    '(?<string>"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\')',
    '(?<directive>^#[^\\n]*)',
    `(?<word>\\b(?:${words})\\b)`,
    '(?<number>\\b-?\\d+(?:\\.\\d+)?\\b)',
  ].join('|'),
  'gm',
)
const kinds = ['comment', 'string', 'directive', 'word', 'number'] as const
const LONGEST = 200_000

/** Pieces of C, C++ or JSON to colour; joined they are the text again. Very long text stays plain. */
export function codePieces(text: string, language: 'json' | 'cpp' | 'c' | 'text'): CodePiece[] {
  if (language === 'text' || text.length > LONGEST) return [{ text, kind: 'plain' }]
  const pieces: CodePiece[] = []
  let at = 0
  for (const match of text.matchAll(code)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), kind: 'plain' })
    const groups: Readonly<Record<string, string | undefined>> = match.groups ?? {}
    const kind = kinds.find((name) => groups[name] !== undefined) ?? 'plain'
    pieces.push({ text: match[0], kind })
    at = match.index + match[0].length
  }
  if (at < text.length) pieces.push({ text: text.slice(at), kind: 'plain' })
  return pieces
}
