import { z } from 'zod'
import { AppError } from './app-error.ts'
import { stepBack } from './background.ts'
import type { EntryName } from './entries.ts'
import type { Child, Launcher } from './launcher.ts'
import type { UtilityParent, UtilityPort } from './utility-port.ts'

/** What main tells a server about the processes that it asked for (electron/main/server-host.ts). */
const FromMain = z.discriminatedUnion('type', [
  z.object({ type: z.literal('launched'), id: z.number(), pid: z.number().optional() }),
  z.object({ type: z.literal('exited'), id: z.number(), code: z.number() }),
])

interface Started {
  readonly entry: EntryName
  readonly ready: PromiseWithResolvers<Child>
  readonly exits: ((exit: { code: number | null; killed: boolean }) => void)[]
  killed: boolean
}

/**
 * The launcher inside Electron's utility process: a plain fork fails there (the runAsNode fuse is off), so main starts
 * the sibling and hands both a port. A process that main cannot start is told by `exited` before `launched`.
 */
export function createUtilityLauncher(main: UtilityParent): Launcher {
  const children = new Map<number, Started>()
  let nextId = 1

  main.on('message', ({ data, ports }) => {
    const message = FromMain.safeParse(data).data
    const child = message && children.get(message.id)
    if (!message || !child) return
    if (message.type === 'launched' && ports[0]) child.ready.resolve(toChild(message, child, ports[0]))
    if (message.type === 'exited') {
      children.delete(message.id)
      child.ready.reject(new AppError('server-worker-stopped', 'The process ended before it was ready'))
      for (const listener of child.exits) listener({ code: message.code, killed: child.killed })
    }
  })

  function toChild(launched: { id: number; pid?: number | undefined }, child: Started, port: UtilityPort): Child {
    const listeners: ((message: unknown) => void)[] = []
    port.on('message', (event) => {
      for (const listener of listeners) listener(event.data)
    })
    port.start()
    stepBack(child.entry, launched.pid)
    return {
      pid: launched.pid,
      post: (message) => port.postMessage(message),
      onMessage: (listener) => void listeners.push(listener),
      onExit: (listener) => void child.exits.push(listener),
      kill(hard = false) {
        child.killed = true
        main.postMessage({ type: 'kill', id: launched.id, hard })
      },
    }
  }

  return {
    launch(entry, args = []) {
      const id = nextId
      nextId += 1
      const child: Started = { entry, ready: Promise.withResolvers(), exits: [], killed: false }
      children.set(id, child)
      main.postMessage({ type: 'launch', id, entry, args })
      return child.ready.promise
    },
  }
}
