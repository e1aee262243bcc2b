/** What the app did that nobody sees here, for the test to look at. Plain data: it travels to the test as JSON. */
export interface ChildRow {
  readonly serviceName: string
  readonly file: string
  readonly args: readonly string[]
  readonly pid: number | undefined
  exit: number | null
}

export interface AppCall {
  readonly name: string
  readonly args: readonly unknown[]
  readonly ready: boolean
}

export const life = {
  ready: false,
  quitting: false,
  locale: 'en-US',
  /** Calls to `app` that only leave a trace. */
  calls: [] as AppCall[],
  /** Life-cycle events in the order in which they came. */
  events: [] as string[],
  children: [] as ChildRow[],
  /** Addresses given to shell.openExternal. */
  opened: [] as string[],
  refusedHandlers: [] as string[],
}
