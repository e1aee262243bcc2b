/** What the server and the synthesiser process say to each other. PCM is 16 kHz mono, s16, as bytes. */
export type ToSynthesiser =
  | { readonly type: 'speak'; readonly id: number; readonly text: string }
  | { readonly type: 'cancel'; readonly id: number }

export type FromSynthesiser =
  | { readonly type: 'ready' }
  | { readonly type: 'spoken'; readonly id: number; readonly pcm: Uint8Array }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
