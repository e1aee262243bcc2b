/** Signed 16-bit little-endian mono samples in base64, as numbers from −1 to just under 1. Half a sample at the end is dropped. */
export function decodePcm(base64: string): Float32Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  const samples = new Float32Array(bytes.byteLength >> 1)
  for (let index = 0; index < samples.length; index++) samples[index] = view.getInt16(index * 2, true) / 32_768
  return samples
}

/**
 * When a frame that arrives at `now` starts (seconds): right after the one before it, or, after a pause, a little later
 * than now so that the next frames have time to come.
 */
export function frameStart(now: number, previousEnd: number, leadS = 0.08): number {
  return previousEnd > now ? previousEnd : now + leadS
}
