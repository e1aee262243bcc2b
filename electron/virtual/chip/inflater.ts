import { createInflate } from 'node:zlib'

export interface Inflated {
  readonly output: readonly Uint8Array[]
  /** False once the input was no zlib data; it stays false. */
  readonly sound: boolean
}

export interface Inflater {
  /** One call at a time. Input after the end of the stream gives no output. */
  push(input: Uint8Array): Promise<Inflated>
  /** True when the stream was complete and its Adler-32 right. Nothing can be pushed afterwards. */
  finish(): Promise<boolean>
  close(): void
}

/** One zlib stream, fed block by block. 32 KiB is what the stub inflates at a time, and what it writes then. */
export function createInflater(): Inflater {
  const stream = createInflate({ chunkSize: 0x8000 })
  let output: Uint8Array[] = []
  let sound = true
  let ended = false
  let settle: (() => void) | undefined
  stream.on('data', (chunk: Buffer) => void output.push(chunk))
  // The callback of write() stays away when the stream ends inside the input, hence three ways to settle.
  stream.on('end', () => {
    ended = true
    settle?.()
  })
  stream.on('error', () => {
    sound = false
    settle?.()
  })

  async function settled(start: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    settle = () => resolve(undefined)
    start()
    await promise
    settle = undefined
  }

  return {
    async push(input) {
      if (sound && !ended && input.length > 0) {
        // setImmediate: an 'error' of this very input is told after the callback.
        await settled(() => void stream.write(input, () => setImmediate(() => settle?.())))
      }
      const given = output
      output = []
      return { output: given, sound }
    },
    async finish() {
      if (sound && !ended) await settled(() => void stream.end())
      return sound && ended
    },
    close: () => void stream.destroy(),
  }
}
