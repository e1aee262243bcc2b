/** What the server and a recogniser process say to each other. `id` is one utterance. PCM is 16 kHz mono, s16, as bytes. */
export type ToRecogniser =
  | { readonly type: 'lookup'; readonly id: number; readonly words: readonly string[] }
  | {
      readonly type: 'start'
      readonly id: number
      readonly hash: string
      readonly grammar: string
      /** Acronyms and how they sound, for words that the dictionary reads otherwise or not at all. */
      readonly spelled: ReadonlyMap<string, string>
    }
  | { readonly type: 'audio'; readonly id: number; readonly pcm: Uint8Array }
  | { readonly type: 'finish'; readonly id: number }
  | { readonly type: 'cancel'; readonly id: number }

export type FromRecogniser =
  | { readonly type: 'ready' }
  | { readonly type: 'missing'; readonly message: string }
  | { readonly type: 'looked-up'; readonly id: number; readonly known: readonly string[] }
  | { readonly type: 'partial'; readonly id: number; readonly text: string }
  | {
      readonly type: 'final'
      readonly id: number
      readonly text: string
      readonly confidence: number
      readonly rejected?: string
      /** Grammars that this process has loaded: each leaks about 56 kB, so the process is renewed in time. */
      readonly swaps: number
    }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }

/** 30 s: longer speech is no command, and one utterance must not hold a recogniser for ever. */
export const maxUtteranceSamples = 30 * 16_000
/** Utterances that one process hears at the same time; each lane holds two decoders (about 50 MB). */
export const lanesPerProcess = 4
