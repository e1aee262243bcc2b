// Between the main loop and the process of voice detection: both ends are of one build, so nothing is parsed.

/** Samples of one window at 16 kHz: 32 ms. */
export const windowSamples = 512

export type VadRequest =
  /** Whole windows of 16-bit samples, in this machine's byte order. A new epoch begins with a fresh state. */
  | { readonly op: 'windows'; readonly stream: number; readonly epoch: number; readonly pcm: Uint8Array }
  | { readonly op: 'close'; readonly stream: number }

export type VadReply =
  | { readonly op: 'ready' }
  | { readonly op: 'failed'; readonly message: string }
  | { readonly op: 'heard'; readonly stream: number; readonly epoch: number; readonly probabilities: readonly number[] }
