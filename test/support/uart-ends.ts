import { onTestFinished } from 'vitest'
import { SerialPort } from 'serialport'
import { type RoostProgram, runRoost } from './roost-process.ts'

// Both ends of a serial line for UART-MCP: the product's as programs of their own, and one that is not ours, which
// knows only bytes.

export interface UartEnd extends RoostProgram {
  readonly port: string
  /** Waits for the `count`th event of this name. */
  event(name: string, count?: number): Promise<Record<string, unknown>>
}

/** `roost uart mcu` or `roost uart board`, on a pseudo-terminal unless `args` names a port. */
export async function startUartEnd(side: 'mcu' | 'board', args: readonly string[] = []): Promise<UartEnd> {
  const program = runRoost(['uart', side, ...args])
  const ready = await program.line((line) => line['ready'] === true)
  return {
    ...program,
    port: String(ready['port']),
    async event(name, count = 1) {
      const found = () => program.events().filter(({ event }) => event === name)
      await program.line(() => found().length >= count)
      return found()[count - 1] ?? {}
    },
  }
}

export interface RawPort {
  /** All text so far. */
  readonly text: () => string
  /** Waits until the text holds this after what was waited for before; gives what stood before it. */
  until(wanted: string): Promise<string>
  write(text: string | Uint8Array): Promise<void>
  setBaud(baud: number): Promise<void>
}

/** A serial port as any other program would open it. */
export async function openRawPort(path: string, baudRate = 115_200): Promise<RawPort> {
  const port = new SerialPort({ path, baudRate, autoOpen: false })
  const parts: Buffer[] = []
  let from = 0
  let wake = Promise.withResolvers<undefined>()
  port.on('error', () => undefined)
  port.on('data', (bytes: Buffer) => {
    parts.push(bytes)
    wake.resolve(undefined)
    wake = Promise.withResolvers()
  })
  await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())))
  onTestFinished(() => {
    if (port.isOpen) port.close()
  })
  const text = () => Buffer.concat(parts).toString('utf8')
  return {
    text,
    async until(wanted) {
      for (;;) {
        const at = text().indexOf(wanted, from)
        if (at !== -1) {
          const before = text().slice(from, at)
          from = at + wanted.length
          return before
        }
        await wake.promise
      }
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        port.write(Buffer.from(bytes), (error) => (error ? reject(error) : port.drain(() => resolve())))
      }),
    setBaud: (speed) =>
      new Promise((resolve, reject) => {
        port.update({ baudRate: speed }, (error) => (error ? reject(error) : resolve()))
      }),
  }
}
