/** What a command may touch of the world: tests hand in their own. */
export interface CommandIo {
  stdout(text: string): void
  stderr(text: string): void
  readonly stdin: NodeJS.ReadableStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted on SIGTERM and SIGINT. */
  readonly signal: AbortSignal
}

export interface Command {
  readonly name: string
  readonly summary: string
  readonly help: string
  /** The exit code: 0 ok, 1 failed, 2 wrong usage (contracts §1). */
  run(args: readonly string[], io: CommandIo): Promise<number>
}
