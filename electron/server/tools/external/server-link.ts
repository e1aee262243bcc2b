import { AppError, isAppError } from '../../../base/app-error.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { SchemaChecker } from '../json-schema.ts'
import type { LinkTransport } from './child-transport.ts'
import { type LinkEffect, type LinkInput, type LinkState, type LinkTrouble, stepLink } from './link-machine.ts'
import { createRemoteClient, type RemoteCall, type RemoteClient } from './remote-client.ts'
import type { RemoteList, RemoteTool } from './remote-tools.ts'

export interface LinkView {
  readonly state: LinkState
  /** As they were listed last, also while the server is away. */
  readonly tools: readonly RemoteTool[]
  readonly restarts: number
  readonly lines: readonly string[]
}

export interface ServerLink {
  now(): LinkView
  enable(): void
  disable(): Promise<void>
  /** As RemoteClient.call; tool-unreachable while there is no connection. */
  call(request: RemoteCall): Promise<Readonly<Record<string, unknown>>>
}

export interface ServerLinkOptions {
  readonly name: string
  /** A fresh transport for each start; `onLine` takes what the program says beside its messages. */
  readonly open: (onLine: (line: string) => void) => LinkTransport
  readonly checker: SchemaChecker
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  /** Never a secret in a log: the lines pass through this. */
  readonly mask: (text: string) => string
  readonly onTools: (tools: readonly RemoteTool[]) => Promise<void>
  readonly onChange: () => void
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

const keptLines = 50
const maxLineLength = 500
const fatalCodes = new Set(['mcp-not-started', 'mcp-flooded', 'mcp-redirected', 'mcp-offline'])

/** Runs the machine of one outside server: starts, waits, gives up. */
export function createServerLink(options: ServerLinkOptions): ServerLink {
  const { clock, name } = options
  const log = options.log.child('mcp', { server: name })
  const seen: Omit<Writable<LinkView>, 'state'> = { tools: [], lines: [], restarts: 0 }
  let state: LinkState = { at: 'off' }
  let client: RemoteClient | undefined
  let closing: Promise<unknown> = Promise.resolve()
  let stopWaiting = () => {}

  function note(line: string): void {
    seen.lines = [...seen.lines, options.mask(line).slice(0, maxLineLength)].slice(-keptLines)
    options.onChange()
  }

  function feed(input: LinkInput): void {
    const [next, ...effects] = stepLink(state, input)
    if (next.at !== state.at) log.info(`${state.at} → ${next.at}`, { input: input.type })
    state = next
    effects.forEach(perform)
    options.onChange()
  }

  function perform(effect: LinkEffect): void {
    stopWaiting()
    if (effect.do === 'open') open()
    else if (effect.do === 'close') {
      closing = Promise.all([closing, client?.close()])
      client = undefined
    } else {
      seen.restarts += 1
      stopWaiting = clock.after(effect.ms, () => feed({ type: 'wake' }))
    }
  }

  function open(): void {
    const mine = createRemoteClient({ ...options, server: name, log, transport: options.open(note), onList, onLost })
    client = mine
    const connected = () => client === mine && feed({ type: 'connected', now: clock.now() })
    // A failure came by onLost.
    void mine.open().then(connected, () => undefined)
  }

  async function onList(list: RemoteList): Promise<void> {
    seen.tools = list.tools
    list.notes.slice(0, 10).forEach(note)
    await options.onTools(list.tools)
    options.onChange()
  }

  function onLost(error: unknown): void {
    const trouble = troubleOf(error)
    note(trouble.message)
    feed({ type: 'lost', now: clock.now(), trouble, fatal: fatalCodes.has(trouble.code) })
  }

  return {
    now: () => ({ ...seen, state }),
    enable: () => feed({ type: 'enable' }),
    async disable() {
      feed({ type: 'disable' })
      await closing
    },
    async call(request) {
      if (state.at === 'ready' && client) return client.call(request)
      throw unreachable(name)
    },
  }
}

function unreachable(name: string): AppError {
  return new AppError('tool-unreachable', `The MCP server "${name}" is not connected; nothing was sent`)
}

/** What `fetch` throws has the reason inside. */
function troubleOf(error: unknown): LinkTrouble {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (isAppError(at)) return { code: at.code, message: at.message.slice(0, 300) }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'mcp-unreachable', message: message.slice(0, 300) }
}
