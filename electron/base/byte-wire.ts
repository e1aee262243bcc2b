/** A serial line as a protocol needs it: a real port, or the far end of a pseudo-terminal. */
export interface ByteWire {
  readonly path: string
  /** Resolves when the system took the bytes. */
  write(bytes: Uint8Array): Promise<void>
  /** Several may listen; the result ends it. */
  onData(listener: (bytes: Uint8Array) => void): () => void
  setBaud(baud: number): Promise<void>
  /** Resolves when the bytes left the machine. */
  drain(): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
  /** Once, with true when it was not `close()` that did it. */
  onClosed(listener: (unplugged: boolean) => void): void
}
