import { SerialPort } from 'serialport'
import { ESPLoader, type IEspLoaderTerminal, Transport } from 'esptool-js'
import { onTestFinished } from 'vitest'

const terminal: IEspLoaderTerminal = { clean: () => undefined, writeLine: () => undefined, write: () => undefined }

/** The little of a Web Serial port that esptool-js touches, over the serialport package. A PTY has no reset lines. */
function webSerial(path: string) {
  let serial: SerialPort | undefined
  const port = {
    readable: null as ReadableStream<Uint8Array> | null,
    writable: null as WritableStream<Uint8Array> | null,
    getInfo: () => ({}),
    async open({ baudRate }: { baudRate: number }) {
      const opened = new SerialPort({ path, baudRate, autoOpen: false })
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
    setSignals: () => Promise.resolve(),
    async setBaudRate(baudRate: number) {
      await new Promise<void>((resolve) => serial?.update({ baudRate }, () => resolve()))
    },
  }
  onTestFinished(() => port.close())
  return port
}

class QuietTransport extends Transport {
  override trace(): void {
    // The library prints unconditionally.
  }
}

/** Stock esptool-js on a serial path: a flasher that is not ours. */
export function foreignFlasher(path: string, baudrate = 921_600) {
  const transport = new QuietTransport(webSerial(path))
  return { transport, loader: new ESPLoader({ transport, baudrate, romBaudrate: 115_200, terminal }) }
}
