import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

/** With the runAsNode fuse off a plain fork fails inside Electron; it must fail here too (stack.md §8). */
export function forbidFork(): void {
  const refuse = () => {
    throw new Error('child_process.fork fails inside Electron: the runAsNode fuse is off')
  }
  childProcess.fork = refuse
  syncBuiltinESMExports()
}
