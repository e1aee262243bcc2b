import { toAppError } from '../../base/app-error.ts'
import { pause } from '../../base/deadline.ts'
import type { Child, Launcher } from '../../base/launcher.ts'
import type { Log } from '../../base/log.ts'
import type { VadReply, VadRequest } from './vad-messages.ts'

/** The process of voice detection as the main loop sees it: it is there or it is not. */
export interface VadLink {
  readonly alive: boolean
  /** For diagnosis and for tests that end it. */
  readonly pid: number | undefined
  /** False when it is away: nothing was sent. */
  post(request: VadRequest): boolean
  /** Ends a process that does not answer; another is started. */
  kill(): void
  close(): void
}

export interface VadLinkOptions {
  readonly launcher: Launcher
  readonly log: Log
  readonly onHeard: (reply: VadReply & { readonly op: 'heard' }) => void
  readonly onAway: () => void
}

const firstRestartMs = 50
const slowestRestartMs = 10_000
/** A process that lived so long was healthy: the next death is a first one again. */
const healthyMs = 10_000

interface Now {
  child?: Child | undefined
  alive: boolean
}

/** The link keeps one process running until it is closed. `first` resolves when it is ready, or has failed once. */
export function createVadLink(options: VadLinkOptions): { readonly link: VadLink; readonly first: Promise<void> } {
  const ending = new AbortController()
  const first = Promise.withResolvers<void>()
  const ended = () => ending.signal.aborted
  const now: Now = { alive: false }

  /** One life of the process; resolves when it is over. */
  async function live(): Promise<void> {
    const over = Promise.withResolvers<void>()
    const started = await options.launcher.launch('vad')
    now.child = started
    started.onMessage((message) => {
      // Only vad-process.ts writes to this port.
      const reply = message as VadReply
      if (reply.op === 'heard') return options.onHeard(reply)
      if (reply.op === 'failed') return options.log.error('voice detection cannot start', { reason: reply.message })
      now.alive = true
      first.resolve()
    })
    started.onExit(() => over.resolve())
    if (ended()) started.kill(true)
    await over.promise
  }

  function leave(): void {
    const served = now.alive
    now.alive = false
    now.child = undefined
    if (served) options.onAway()
  }

  async function keepAlive(): Promise<void> {
    let waitMs = firstRestartMs
    while (!ended()) {
      const bornAt = performance.now()
      await live().catch((error: unknown) =>
        options.log.warn('voice detection did not start', { error: toAppError(error) }),
      )
      leave()
      first.resolve()
      if (ended()) return
      if (performance.now() - bornAt > healthyMs) waitMs = firstRestartMs
      options.log.warn('voice detection stopped, starting it again', { waitMs })
      await pause(waitMs, ending.signal)
      waitMs = Math.min(waitMs * 2, slowestRestartMs)
    }
  }

  void keepAlive()
  return { link: createLink(now, ending), first: first.promise }
}

function createLink(now: Now, ending: AbortController): VadLink {
  return {
    get alive() {
      return now.alive
    },
    get pid() {
      return now.child?.pid
    },
    post(request) {
      if (now.alive) now.child?.post(request)
      return now.alive
    },
    kill: () => now.child?.kill(true),
    close() {
      ending.abort()
      now.child?.kill(true)
    },
  }
}
