/** Programs that Roost starts as a thread or a process of their own. */
const sources = {
  server: '../server/server-process.ts',
  flasher: '../server/flasher-process.ts',
  uart: '../server/uart-process.ts',
  vad: '../server/audio/vad-process.ts',
  asr: '../server/agent/hearing/asr-process.ts',
  tts: '../server/agent/speaking/tts-process.ts',
  chip: '../virtual/chip/chip-process.ts',
  'store-worker': '../server/store/store.worker.ts',
  'codec-worker': '../server/audio/codec.worker.ts',
  'sound-worker': '../server/tools/builtin/sound.worker.ts',
  'sum-worker': '../server/tools/builtin/sum.worker.ts',
} as const

export type EntryName = keyof typeof sources

/** From source an entry is a TypeScript file (Node strips the types); bundled, it is NAME.js beside this chunk. */
export function entryUrl(name: EntryName): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL(sources[name], here) : new URL(`./${name}.js`, here)
}

/** `electron/base` and `out/main` lie equally deep, so one relative path serves source, bundle and packed app. */
export function resourceUrl(path: string): URL {
  return new URL(`../../resources/${path}`, import.meta.url)
}

/** The built console page. */
export function consoleUrl(): URL {
  return new URL('../../out/renderer/', import.meta.url)
}
