/** Spoken phrases by language and text, the least recently used dropped first. */
export interface PhraseCache {
  get(key: string): Int16Array | undefined
  /** One phrase larger than an eighth of the cache is not kept. */
  set(key: string, pcm: Int16Array): void
  bytes(): number
}

export function createPhraseCache(maxBytes: number): PhraseCache {
  const kept = new Map<string, Int16Array>()
  let bytes = 0
  function drop(key: string): void {
    bytes -= kept.get(key)?.byteLength ?? 0
    kept.delete(key)
  }
  return {
    get(key) {
      const pcm = kept.get(key)
      if (!pcm) return undefined
      // A Map keeps the order of insertion: last used is last.
      kept.delete(key)
      kept.set(key, pcm)
      return pcm
    },
    set(key, pcm) {
      if (pcm.byteLength > maxBytes / 8) return
      drop(key)
      kept.set(key, pcm)
      bytes += pcm.byteLength
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break
        drop(oldest)
      }
    },
    bytes: () => bytes,
  }
}
