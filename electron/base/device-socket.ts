/** A board's accepted WebSocket, as the sessions and tool channels see it. The door to `ws` stays in server/http. */
export interface DeviceSocket {
  /** Which listener took the connection: never decided by the peer's address (iotta-protocol.md §1). */
  readonly listener: 'tls' | 'loopback'
  readonly address: string
  send(data: string | Uint8Array): void
  /** Bytes accepted but not yet handed to the kernel. */
  readonly bufferedAmount: number
  /** Text arrives as a string, binary as a Uint8Array. One listener: the newest wins. */
  onMessage(listener: (data: string | Uint8Array) => void): void
  /** Called once, with the close code (1006 when there was none); at once when the socket is closed already. */
  onClose(listener: (code: number) => void): void
  /** Sends the close frame; a peer that does not answer is cut after 1 s. Idempotent. */
  close(code: number, reason?: string): void
}
