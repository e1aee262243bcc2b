import type { ByteWire } from '../../base/byte-wire.ts'
import type { Clock } from '../../base/clock.ts'
import { createLineSplitter } from '../../contract/uart-bytes.ts'
import { createMcu, type McuEvent, type McuProgram, type VirtualMcu } from './mcu.ts'

export interface WireMcu extends Omit<VirtualMcu, 'close'> {
  readonly path: string
  /** Closes the wire too. */
  close(): Promise<void>
}

interface WireMcuOptions {
  readonly program: McuProgram
  readonly clock: Clock
  readonly onEvent: (event: McuEvent) => void
}

/** A microcontroller at work on a wire: a pseudo-terminal of its own, or a serial port with a board behind it. */
export function startMcu(wire: ByteWire, options: WireMcuOptions): WireMcu {
  const splitter = createLineSplitter()
  let sending: Promise<unknown> = Promise.resolve()
  const inTurn = (task: () => Promise<void>) => void (sending = sending.then(task).catch(() => undefined))
  const mcu = createMcu({
    ...options,
    send: (text) => inTurn(() => wire.write(new TextEncoder().encode(text))),
    setBaud: (baud) =>
      inTurn(async () => {
        await wire.drain()
        await wire.setBaud(baud)
      }),
  })
  wire.onData((bytes) => {
    for (const line of splitter.push(bytes)) mcu.receive(line)
  })
  return {
    ...mcu,
    path: wire.path,
    async close() {
      mcu.close()
      await wire.close()
    },
  }
}
