import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The child ends with this process, however that ends; `stop` ends it now and resolves when it is gone. */
export function ownChild(child: ChildProcess): { stop(): Promise<void> } {
  const kill = () => void child.kill('SIGTERM')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      kill()
      await gone
    },
  }
}
