import type { VirtualChip } from './chip.ts'
import type { ChipSide } from './wire.ts'

export interface ChipBindingOptions {
  readonly path: string
  readonly serialNumber?: string
}

interface OpenOptions {
  path: string
  baudRate: number
  dataBits?: 5 | 6 | 7 | 8
  lock?: boolean
  stopBits?: 1 | 1.5 | 2
  parity?: string
  rtscts?: boolean
  xon?: boolean
  xoff?: boolean
  xany?: boolean
  /** Drop DTR and RTS at close; true by default. */
  hupcl?: boolean
}

interface Lines {
  readonly dtr?: boolean
  readonly rts?: boolean
}

interface PortInfo {
  path: string
  manufacturer: string | undefined
  serialNumber: string | undefined
  pnpId: string | undefined
  locationId: string | undefined
  productId: string | undefined
  vendorId: string | undefined
}

interface ChipPort {
  readonly openOptions: Required<OpenOptions>
  isOpen: boolean
  close(): Promise<void>
  read(buffer: Buffer, offset: number, length: number): Promise<{ buffer: Buffer; bytesRead: number }>
  write(buffer: Buffer): Promise<void>
  update(options: { readonly baudRate: number }): Promise<void>
  set(lines: Lines): Promise<void>
  get(): Promise<{ cts: boolean; dsr: boolean; dcd: boolean }>
  getBaudRate(): Promise<{ baudRate: number }>
  flush(): Promise<void>
  drain(): Promise<void>
}

/**
 * The chip behind a port with lines, in this process: for `new SerialPortStream({ binding, path, baudRate })`. Its shape
 * is the BindingInterface of @serialport/bindings-interface 1.x (recipes-desktop-serial.md §2).
 */
export interface ChipBinding {
  list(): Promise<PortInfo[]>
  open(options: OpenOptions): Promise<ChipPort>
}

const inputLimit = 8 * 1024 * 1024

export function createChipBinding(chip: VirtualChip, { path, serialNumber }: ChipBindingOptions): ChipBinding {
  let port: ChipPort | undefined
  return {
    list: async () => (chip.powered() ? [portInfo(chip, path, serialNumber)] : []),
    async open(options) {
      if (options.path !== path || !chip.powered())
        throw new Error(`Error: No such file or directory, cannot open ${path}`)
      if (port?.isOpen) throw new Error('Error Resource temporarily unavailable Cannot lock port')
      port = openChipPort(chip, options)
      return port
    },
  }
}

function portInfo(chip: VirtualChip, path: string, serialNumber: string | undefined): PortInfo {
  const bridge = chip.console === 'uart'
  return {
    path,
    manufacturer: bridge ? 'wch.cn' : 'Espressif',
    serialNumber: serialNumber ?? (bridge ? undefined : chip.mac.toUpperCase()),
    pnpId: undefined,
    locationId: undefined,
    vendorId: bridge ? '1a86' : '303a',
    productId: bridge ? '55d3' : chip.console === 'usb-jtag' ? '1001' : '0009',
  }
}

function openChipPort(chip: VirtualChip, options: OpenOptions): ChipPort {
  const input = createInput()
  let baudRate = options.baudRate
  let lost = false
  const side: ChipSide = chip.attach({
    send: (bytes) => input.push(bytes),
    baud: () => baudRate,
    unplugged() {
      lost = true
      // isOpen stays true until close(): the stream ignores a loss on a port that says it is closed (flashing.md §3.2).
      input.fail(Object.assign(new Error('The chip was unplugged'), { disconnect: true }))
    },
  })
  // An operating system asserts both lines when it opens a port (flashing.md §9.1).
  side.setLines({ dtr: true, rts: true })
  const alive = () => {
    if (lost) throw new Error('Error: Input/output error, the chip is unplugged')
  }

  const port: ChipPort = {
    openOptions: {
      dataBits: 8,
      lock: true,
      stopBits: 1,
      parity: 'none',
      rtscts: false,
      xon: false,
      xoff: false,
      xany: false,
      hupcl: true,
      ...options,
    },
    isOpen: true,
    read: (buffer, offset, length) => input.read(buffer.subarray(offset, offset + length), buffer),
    async write(buffer) {
      alive()
      await side.receive(buffer)
      alive()
    },
    async set(flags) {
      alive()
      side.setLines({ dtr: flags.dtr ?? true, rts: flags.rts ?? true })
    },
    async update(next) {
      alive()
      baudRate = next.baudRate
    },
    get: async () => ({ cts: false, dsr: false, dcd: false }),
    getBaudRate: async () => ({ baudRate }),
    flush: async () => input.clear(),
    drain: async () => alive(),
    async close() {
      port.isOpen = false
      if (!lost && options.hupcl !== false) side.setLines({ dtr: false, rts: false })
      side.detach()
      input.fail(Object.assign(new Error('The port was closed'), { canceled: true }))
    },
  }
  return port
}

interface Input {
  push(bytes: Uint8Array): void
  read(target: Uint8Array, buffer: Buffer): Promise<{ buffer: Buffer; bytesRead: number }>
  clear(): void
  /** Pending and later reads reject. */
  fail(error: Error): void
}

/** What the chip sent and nobody has read yet; a host that never reads loses the newest bytes. */
function createInput(): Input {
  let chunks: Uint8Array[] = []
  let size = 0
  let failure: Error | undefined
  let waiting: { target: Uint8Array; done: (bytes: number) => void; failed: (error: Error) => void } | undefined

  function take(target: Uint8Array): number {
    let filled = 0
    while (filled < target.length && chunks[0]) {
      const part = chunks[0].subarray(0, target.length - filled)
      target.set(part, filled)
      filled += part.length
      if (part.length === chunks[0].length) chunks.shift()
      else chunks[0] = chunks[0].subarray(part.length)
    }
    size -= filled
    return filled
  }

  return {
    push(bytes) {
      if (size + bytes.length > inputLimit || bytes.length === 0) return
      chunks.push(bytes)
      size += bytes.length
      const reader = waiting
      waiting = undefined
      reader?.done(take(reader.target))
    },
    read(target, buffer) {
      if (size > 0) return Promise.resolve({ buffer, bytesRead: take(target) })
      if (failure) return Promise.reject(failure)
      return new Promise((resolve, reject) => {
        waiting = { target, done: (bytesRead) => resolve({ buffer, bytesRead }), failed: reject }
      })
    },
    clear() {
      chunks = []
      size = 0
    },
    fail(error) {
      failure ??= error
      const reader = waiting
      waiting = undefined
      reader?.failed(error)
    },
  }
}
