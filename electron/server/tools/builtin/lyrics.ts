export interface LyricLine {
  readonly atMs: number
  readonly text: string
}

const maxLines = 2_000

/** Lines of an LRC text by time; a line may carry several times. What is no line is left out. */
export function parseLyrics(text: string): readonly LyricLine[] {
  const offset = Number(/^\[offset:\s*([+-]?\d{1,7})\]/im.exec(text)?.[1] ?? 0)
  const found: LyricLine[] = []
  for (const line of text.slice(0, 500_000).split(/\r?\n/)) {
    const stamps = /^(?:\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\]){1,20}/.exec(line)?.[0]
    if (stamps === undefined) continue
    const words = line.slice(stamps.length).trim().slice(0, 200)
    for (const [, minutes = '0', seconds = '0', part = '0'] of stamps.matchAll(
      /\[(\d{1,3}):(\d{2})(?:[.:](\d{1,3}))?\]/g,
    ))
      if (words !== '' && found.length < maxLines)
        found.push({
          atMs: Math.max(0, Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(`0.${part}`) * 1000 - offset),
          text: words,
        })
  }
  return found.sort((a, b) => a.atMs - b.atMs)
}
