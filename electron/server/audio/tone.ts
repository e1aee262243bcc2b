/** What a board plays where no voice speaks its language: two notes up for "done", two down for "not done". */
export type Tone = 'ok' | 'refused'

export const toneRate = 24_000

const notes: Record<Tone, readonly number[]> = { ok: [659.26, 987.77], refused: [440, 329.63] }
const noteMs = 140
const fadeMs = 12
const gain = 0.3

/** Mono, 24 kHz, 0.28 s: the same samples each time. */
export function createTone(tone: Tone): Int16Array {
  const length = (toneRate * noteMs) / 1000
  const fade = (toneRate * fadeMs) / 1000
  return Int16Array.from({ length: length * notes[tone].length }, (_, index) => {
    const frequency = notes[tone][Math.floor(index / length)] ?? 0
    const at = index % length
    // Faded at both ends of a note: a step in the wave is a click.
    const envelope = Math.min(1, at / fade, (length - 1 - at) / fade)
    const phase = (2 * Math.PI * frequency * at) / toneRate
    // The octave above makes a small speaker audible.
    return Math.round(32_767 * gain * envelope * (0.8 * Math.sin(phase) + 0.2 * Math.sin(2 * phase)))
  })
}
