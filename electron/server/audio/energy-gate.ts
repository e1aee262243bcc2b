/** Speech by level alone, for as long as the model is away: the level above a noise floor that follows the room. */
export interface EnergyGate {
  /** Level of the room without speech, dBFS. */
  readonly floorDb: number
}

const quietestDb = -75
/** Below this nothing is speech, however quiet the room. */
const leastSpeechDb = -48
/** Half certain at so much above the floor. */
const marginDb = 10
/** The floor falls to a quieter window at once and rises slowly, so that a sentence does not become the floor. */
const riseDbPerSecond = 3

export function beginEnergyGate(): EnergyGate {
  return { floorDb: -60 }
}

/** One window of 16-bit samples at `sampleRate` Hz; the answer has a probability of speech, 0 to 1. */
export function stepEnergyGate(
  gate: EnergyGate,
  window: Int16Array,
  sampleRate: number,
): { readonly gate: EnergyGate; readonly probability: number } {
  const level = levelDb(window)
  const risen = gate.floorDb + (riseDbPerSecond * window.length) / sampleRate
  const floorDb = Math.max(quietestDb, Math.min(level, risen))
  const over = Math.min(level - floorDb - marginDb, level - leastSpeechDb)
  return { gate: { floorDb }, probability: 1 / (1 + Math.exp(-over / 1.5)) }
}

/** Root mean square in dBFS, -100 for digital silence. The mean is taken out: cheap microphones have an offset. */
export function levelDb(window: Int16Array): number {
  let sum = 0
  let squares = 0
  for (const value of window) {
    sum += value
    squares += value * value
  }
  const mean = sum / Math.max(1, window.length)
  const power = squares / Math.max(1, window.length) - mean * mean
  return power <= 0.1 ? -100 : 10 * Math.log10(power / 32_768 ** 2)
}
