import { AppError } from '../../base/app-error.ts'
import { withDeadline } from '../../base/deadline.ts'
import type { Child, Launcher } from '../../base/launcher.ts'
import type { FromFlasher, ToFlasher } from './flasher-message.ts'

export interface FlasherChild {
  /** Starts the process when it does not run. Throws `flash-flasher-stopped`. */
  send(message: ToFlasher): Promise<void>
  /** Asks it to release its ports and end; kills it after 2 s. */
  stop(): Promise<void>
}

export interface ChildEvents {
  readonly onMessage: (message: FromFlasher) => void
  readonly onExit: (code: number | null) => void
}

// Killed it leaves a board in its loader, which the next lane resets; longer would not fit into a stop of 5 s.
const stopLimitMs = 2000

/** One flasher process at a time; after it died the next message starts another. */
export function createFlasherChild(launcher: Launcher, events: ChildEvents): FlasherChild {
  let child: Promise<Child> | undefined

  async function launch(): Promise<Child> {
    const started = await launcher.launch('flasher').catch((error: unknown) => {
      child = undefined
      throw flasherStopped(error)
    })
    started.onMessage((message) => events.onMessage(message as FromFlasher))
    started.onExit(({ code }) => {
      child = undefined
      events.onExit(code)
    })
    return started
  }

  return {
    async send(message) {
      const to = await (child ??= launch())
      to.post(message)
    },
    async stop() {
      const running = child && (await child.catch(() => undefined))
      if (!running) return
      const gone = Promise.withResolvers<undefined>()
      running.onExit(() => gone.resolve(undefined))
      running.post({ type: 'stop' } satisfies ToFlasher)
      const late = { code: 'flash-flasher-stopped', message: 'The flasher did not stop in time' } as const
      await withDeadline(gone.promise, stopLimitMs, late).catch(() => running.kill(true))
    },
  }
}

export function flasherStopped(cause?: unknown): AppError {
  const message = 'The flasher process stopped; it is started again for the next lane'
  return new AppError('flash-flasher-stopped', message, { cause })
}
