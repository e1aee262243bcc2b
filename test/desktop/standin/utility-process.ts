import childProcess, { type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { createEvents, imitate, notImitated } from './imitated.ts'
import { closeEnd, closeHome, fromEnd, type PortHome, transferPort } from './port-hub.ts'
import { life } from './record.ts'
import type { FromUtility, ToUtility } from './utility-wire.ts'

interface ForkOptions {
  readonly serviceName?: string
  readonly stdio?: 'inherit' | 'ignore'
}

// Taken now: later it is forbidden to the app (forbid-fork.ts).
const forkNode = childProcess.fork
const optionNames = new Set(['serviceName', 'stdio'])
const shim = new URL('./utility-shim.ts', import.meta.url).href
const running = new Set<ChildProcess>()

export const utilityProcess = imitate('UtilityProcess', { fork })

/** Main ends: Electron leaves no utility process behind. */
export async function endUtilities(): Promise<void> {
  const ended = [...running].map((child) => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    return gone
  })
  await Promise.all(ended)
}

function fork(file: string, args: readonly string[] = [], options: ForkOptions = {}) {
  if (!life.ready) throw new Error('utilityProcess cannot be created before app is ready')
  for (const name of Object.keys(options)) if (!optionNames.has(name)) throw notImitated(`the fork option ${name}`)
  const child = forkNode(file, [...args], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--import', shim],
    serialization: 'advanced',
    stdio: ['ignore', options.stdio ?? 'inherit', options.stdio ?? 'inherit', 'ipc'],
  })
  running.add(child)
  return present(child, { file, args, serviceName: options.serviceName ?? '' })
}

function present(child: ChildProcess, told: { file: string; args: readonly string[]; serviceName: string }) {
  const events = createEvents('UtilityProcess', ['spawn', 'exit', 'message'])
  const send = (message: ToUtility) => {
    if (child.connected) child.send(message, () => undefined)
  }
  const home: PortHome = {
    deliver: (port, data) => send({ to: 'port', port, data }),
    peerClosed: (port) => send({ to: 'closed', port }),
  }
  const row = { ...told, pid: child.pid, exit: null as number | null }
  life.children.push(row)
  let alive = false
  child.once('spawn', () => {
    alive = true
    events.emit('spawn')
  })
  child.on('message', (message: FromUtility) => {
    if (message.from === 'parentPort') events.emit('message', message.data)
    else if (message.from === 'port') fromEnd(message.port, message.data)
    else closeEnd(message.port)
  })
  child.once('exit', (code, signal) => {
    alive = false
    running.delete(child)
    closeHome(home)
    // The raw status of waitpid, as Electron passes it on: a signal's number when one ended it.
    row.exit = code ?? (signal ? constants.signals[signal] : 1)
    events.emit('exit', row.exit)
  })
  return imitate(
    'UtilityProcess',
    {
      ...events.members,
      /** Undefined before 'spawn' and after 'exit', as in Electron. */
      get pid() {
        return alive ? child.pid : undefined
      },
      kill: () => child.kill('SIGTERM'),
      postMessage(data: unknown, transfer: readonly unknown[] = []) {
        const moved = transfer.map((port) => transferPort(port, home))
        send({ to: 'parentPort', data, ports: moved.map(({ id }) => id) })
        for (const { id, waiting } of moved) for (const kept of waiting) home.deliver(id, kept)
      },
    },
    events,
  )
}
