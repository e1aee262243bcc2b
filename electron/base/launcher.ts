import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { AppError } from './app-error.ts'
import { stepBack } from './background.ts'
import { type EntryName, entryUrl } from './entries.ts'

/**
 * What both ways to start a process can do (child_process.fork, and utilityProcess.fork through the main process).
 * Messages are structured clones; treat bytes as Uint8Array. No handles, no stdin, no callbacks.
 */
export interface Child {
  readonly pid: number | undefined
  post(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  onExit(listener: (exit: { code: number | null; killed: boolean }) => void): void
  /** `hard` cannot be caught by the child. */
  kill(hard?: boolean): void
}

export interface Launcher {
  /** Resolves once the process has started; entries by name, so that the far side keeps the allow-list. */
  launch(entry: EntryName, args?: readonly string[]): Promise<Child>
}

export function createForkLauncher(env: Readonly<Record<string, string | undefined>> = {}): Launcher {
  return {
    async launch(entry, args = []) {
      const child = fork(fileURLToPath(entryUrl(entry)), [...args], {
        serialization: 'advanced',
        // Standard output of our process is machine output; children may only talk to standard error.
        stdio: ['ignore', 2, 2, 'ipc'],
        env: childEnvironment(env),
      })
      let killed = false
      const started = Promise.withResolvers<undefined>()
      child.once('spawn', () => started.resolve(undefined))
      child.on('error', (cause) =>
        started.reject(new AppError('server-worker-stopped', `The process "${entry}" did not start`, { cause })),
      )
      await started.promise
      stepBack(entry, child.pid)
      return {
        get pid() {
          return child.pid
        },
        post(message) {
          // With a callback a dead child is no 'error' event; its exit is told by onExit.
          if (child.connected) child.send(message as object, () => undefined)
        },
        onMessage: (listener) => void child.on('message', listener),
        onExit: (listener) => void child.on('exit', (code) => listener({ code, killed })),
        kill(hard = false) {
          killed = true
          child.kill(hard ? 'SIGKILL' : 'SIGTERM')
        },
      }
    },
  }
}

/** Children get what a program needs to run and nothing else: no secret of our environment reaches native code. */
function childEnvironment(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LD_LIBRARY_PATH']
  return Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
