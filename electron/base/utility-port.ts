/** Electron's MessagePortMain, as a utility process sees it; messages wait until `start`. */
export interface UtilityPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: UtilityEvent) => void): void
  start(): void
}

export interface UtilityEvent {
  readonly data: unknown
  readonly ports: readonly UtilityPort[]
}

/** `process.parentPort`: there in a utility process, absent in plain Node whatever Electron's types say. */
export interface UtilityParent {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: UtilityEvent) => void): void
}

export function utilityParent(): UtilityParent | undefined {
  return (process as unknown as { parentPort?: UtilityParent }).parentPort
}
