import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/**
 * Runs a program in the foreground and ends as it ended. Signals are passed on: npm leaves its child running on
 * SIGTERM, and a parent that is gone (its process id changes) ends the child too.
 */
export function runInForeground(command, args, options) {
  const child = spawn(command, args, { stdio: 'inherit', ...options })
  const forward = (signal) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => forward(signal))
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid !== parent) forward('SIGTERM')
  }, 1000)
  watch.unref()
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
  child.on('error', (error) => {
    console.error(error.message)
    process.exit(1)
  })
}
