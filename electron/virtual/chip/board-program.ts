/** What a flashed board finds in its own NVS (iotta-protocol.md §2.1). */
export interface BoardSettings {
  /** https URL without a path. */
  readonly server: string
  readonly claim?: string
  /** The CA certificate that alone is trusted, DER. */
  readonly ca?: Uint8Array
  readonly name?: string
  readonly token?: string
  /** The `device_id` key, else the MAC as it is printed. */
  readonly deviceId: string
  readonly wifi: readonly { readonly ssid: string; readonly password?: string }[]
}

export interface BoardContext {
  readonly settings: BoardSettings
  /** Of the app descriptor that was booted. */
  readonly firmware: { readonly name: string; readonly version: string }
  /** Lower case, with colons. */
  readonly mac: string
  /** One line on the board's serial console. */
  print(line: string): void
  /** Sets a string in the board's flash; one that does not fit is told on the console and kept nowhere. */
  saveNvs(namespace: string, key: string, value: string): void
}

/** What the firmware does once it runs. */
export interface BoardProgram {
  start(context: BoardContext): { stop(): Promise<void> }
}
