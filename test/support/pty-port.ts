import type { SerialPortStream } from '@serialport/stream'
import { SerialPort } from 'serialport'
import { ESPLoader, type IEspLoaderTerminal, Transport } from 'esptool-js'
import { onTestFinished } from 'vitest'

const terminal: IEspLoaderTerminal = { clean: () => undefined, writeLine: () => undefined, write: () => undefined }

/** A closed port of serialport, over whichever binding. */
export type MakePort = (baudRate: number) => SerialPortStream

/** The little of a Web Serial port that esptool-js touches, over the stream of serialport. */
function webSerial(makePort: MakePort) {
  let serial: SerialPortStream | undefined
  const lines = { dtr: false, rts: false }
  const port = {
    readable: null as ReadableStream<Uint8Array> | null,
    writable: null as WritableStream<Uint8Array> | null,
    getInfo: () => ({}),
    async open({ baudRate }: { baudRate: number }) {
      const opened = makePort(baudRate)
      serial = opened
      opened.on('error', () => undefined)
      await new Promise<void>((resolve, reject) => opened.open((error) => (error ? reject(error) : resolve())))
      let open = true
      port.readable = new ReadableStream({
        cancel() {
          open = false
        },
        start(controller) {
          opened.on('data', (bytes: Buffer) => open && controller.enqueue(new Uint8Array(bytes)))
          opened.on('close', () => (open = false))
        },
      })
      port.writable = new WritableStream({
        write: (bytes) => new Promise<void>((resolve) => opened.write(Buffer.from(bytes), () => resolve())),
      })
    },
    async close() {
      const old = serial
      port.readable = null
      port.writable = null
      if (old?.isOpen) await new Promise<void>((resolve) => old.close(() => resolve()))
    },
    async setSignals(signals: { dataTerminalReady?: boolean; requestToSend?: boolean }) {
      lines.dtr = signals.dataTerminalReady ?? lines.dtr
      lines.rts = signals.requestToSend ?? lines.rts
      // A PTY has no such lines and says so: then nothing happens, as with a cable that lacks them.
      await new Promise<void>((resolve) => serial?.set(lines, () => resolve()))
    },
    async setBaudRate(baudRate: number) {
      await new Promise<void>((resolve) => serial?.update({ baudRate }, () => resolve()))
    },
  }
  onTestFinished(() => port.close())
  return port
}

class QuietTransport extends Transport {
  override trace(): void {
    // The library prints unconditionally (flashing.md §3.1, 5).
  }
}

/** Stock esptool-js on a serial path or a port: a flasher that is not ours. */
export function foreignFlasher(at: string | MakePort, baudrate = 921_600) {
  const makePort =
    typeof at === 'string' ? (baudRate: number) => new SerialPort({ path: at, baudRate, autoOpen: false }) : at
  const transport = new QuietTransport(webSerial(makePort))
  return { transport, loader: new ESPLoader({ transport, baudrate, romBaudrate: 115_200, terminal }) }
}
