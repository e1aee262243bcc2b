import { createHash, randomBytes } from 'node:crypto'
import { connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'

// RFC 6455 by hand: nothing of the product and none of its libraries is in here, so what it proves is the protocol.

export interface ForeignMessage {
  readonly text?: string
  readonly bytes?: Buffer
}

export interface ForeignSocket {
  readonly head: string
  readonly socket: Socket
  send(data: string | Uint8Array): void
  /** Any frame, well-formed or not. */
  raw(bytes: Uint8Array): void
  frame(opcode: number, payload: Uint8Array, more?: { fin?: boolean; mask?: boolean }): void
  /** Resolves once the server has read everything sent before. */
  ping(): Promise<void>
  readonly messages: ForeignMessage[]
  /** The next message that was not taken yet; rejects when the socket closes first. */
  next(): Promise<ForeignMessage>
  close(code: number): void
  /** The code of the server's close frame; 1006 when the connection ended without one. */
  readonly closed: Promise<number>
}

export interface ForeignAddress {
  readonly url: string
  readonly ca?: string
}

/** What the server answered in place of 101. */
export interface ForeignRefusal extends Error {
  readonly status: number
  readonly head: string
  readonly body: string
}

export function isForeignRefusal(error: unknown): error is ForeignRefusal {
  return error instanceof Error && 'status' in error && 'body' in error
}

function refusalOf(head: string, body: string): ForeignRefusal {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
  return Object.assign(new Error(`refused with ${status}: ${body}`), { status, head, body })
}

/** Plain TCP or TLS to the place of a URL. */
export async function dial({ url, ca }: ForeignAddress): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url)
  const secure = protocol === 'wss:' || protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = secure
    ? tlsConnect({ host, port: Number(port), ca, servername: 'localhost' })
    : netConnect(Number(port), host)
  const open = Promise.withResolvers<undefined>()
  socket.once(secure ? 'secureConnect' : 'connect', () => open.resolve(undefined))
  socket.once('error', open.reject)
  await open.promise
  socket.off('error', open.reject)
  socket.on('error', () => undefined)
  return socket
}

/** Upgrades; rejects with a ForeignRefusal when the server answers anything but 101. */
export async function openForeignSocket(
  at: ForeignAddress,
  headers: Readonly<Record<string, string>>,
): Promise<ForeignSocket> {
  const socket = await dial(at)
  const { host, pathname } = new URL(at.url)
  const key = randomBytes(16).toString('base64')
  const lines = [
    `GET ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const { head, rest } = await readHead(socket)
  if (!head.startsWith('HTTP/1.1 101 ')) throw refusalOf(head, await readRest(socket, rest))
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  if (!head.toLowerCase().includes(`sec-websocket-accept: ${accept.toLowerCase()}`)) throw new Error('wrong accept key')
  return follow(socket, head, rest)
}

async function readHead(socket: Socket): Promise<{ head: string; rest: Buffer }> {
  const read = Promise.withResolvers<{ head: string; rest: Buffer }>()
  let bytes = Buffer.alloc(0)
  const onData = (part: Buffer) => {
    bytes = Buffer.concat([bytes, part])
    const end = bytes.indexOf('\r\n\r\n')
    if (end === -1) return
    socket.pause()
    socket.off('data', onData)
    socket.off('close', onClose)
    read.resolve({ head: bytes.subarray(0, end).toString('latin1'), rest: bytes.subarray(end + 4) })
  }
  const onClose = () => read.reject(new Error(`closed before an answer: ${bytes.toString('latin1')}`))
  socket.on('data', onData)
  socket.on('close', onClose)
  return read.promise
}

async function readRest(socket: Socket, rest: Buffer): Promise<string> {
  const parts = [rest]
  socket.on('data', (part: Buffer) => void parts.push(part))
  const ended = new Promise((resolve) => socket.once('close', resolve))
  socket.resume()
  await ended
  return Buffer.concat(parts).toString('utf8')
}

function follow(socket: Socket, head: string, rest: Buffer): ForeignSocket {
  const messages: ForeignMessage[] = []
  const waiting: PromiseWithResolvers<ForeignMessage>[] = []
  const pongs: PromiseWithResolvers<void>[] = []
  const closed = Promise.withResolvers<number>()
  let taken = 0
  let code = 1006
  let buffer = rest

  function deliver(message: ForeignMessage): void {
    messages.push(message)
    const next = waiting.shift()
    if (!next) return
    taken += 1
    next.resolve(message)
  }
  function frame(opcode: number, payload: Uint8Array, { fin = true, mask = true } = {}): void {
    if (socket.writable) socket.write(encodeFrame({ opcode, payload, fin, mask }))
  }
  function onFrame({ opcode, payload }: { opcode: number; payload: Buffer }): void {
    if (opcode === 1) deliver({ text: payload.toString('utf8') })
    else if (opcode === 2) deliver({ bytes: payload })
    else if (opcode === 9) frame(10, payload)
    else if (opcode === 10) pongs.shift()?.resolve()
    else if (opcode === 8) {
      code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005
      frame(8, payload.subarray(0, 2))
      socket.end()
    }
  }
  function onData(part: Buffer): void {
    buffer = Buffer.concat([buffer, part])
    for (let read = decodeFrame(buffer); read; read = decodeFrame(buffer)) {
      buffer = buffer.subarray(read.size)
      onFrame(read)
    }
  }
  socket.on('data', onData)
  socket.on('close', () => {
    closed.resolve(code)
    for (const one of [...waiting.splice(0), ...pongs.splice(0)]) one.reject(new Error(`closed with ${code}`))
  })
  onData(Buffer.alloc(0))
  socket.resume()

  return {
    head,
    socket,
    messages,
    ping() {
      const pong = Promise.withResolvers<void>()
      pongs.push(pong)
      frame(9, new Uint8Array(0))
      return pong.promise
    },
    send: (data) => (typeof data === 'string' ? frame(1, Buffer.from(data)) : frame(2, data)),
    raw: (bytes) => void socket.write(bytes),
    frame,
    next() {
      const ready = messages[taken]
      if (ready) {
        taken += 1
        return Promise.resolve(ready)
      }
      const one = Promise.withResolvers<ForeignMessage>()
      if (socket.destroyed) one.reject(new Error(`closed with ${code}`))
      else waiting.push(one)
      return one.promise
    },
    close(code) {
      const payload = Buffer.alloc(2)
      payload.writeUInt16BE(code)
      frame(8, payload)
    },
    closed: closed.promise,
  }
}

export function encodeFrame(options: { opcode: number; payload: Uint8Array; fin: boolean; mask: boolean }): Buffer {
  const { opcode, payload, fin, mask } = options
  const first = (fin ? 0x80 : 0) | opcode
  const flag = mask ? 0x80 : 0
  let header: Buffer
  if (payload.length < 126) header = Buffer.from([first, flag | payload.length])
  else if (payload.length < 65_536) {
    header = Buffer.from([first, flag | 126, 0, 0])
    header.writeUInt16BE(payload.length, 2)
  } else {
    header = Buffer.from([first, flag | 127, 0, 0, 0, 0, 0, 0, 0, 0])
    header.writeBigUInt64BE(BigInt(payload.length), 2)
  }
  if (!mask) return Buffer.concat([header, payload])
  const key = randomBytes(4)
  const masked = Buffer.from(payload)
  for (let at = 0; at < masked.length; at += 1) masked[at] = (masked[at] ?? 0) ^ (key[at % 4] ?? 0)
  return Buffer.concat([header, key, masked])
}

/** One frame of a server: never masked, and here never fragmented. */
function decodeFrame(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 2) return undefined
  const opcode = bytes.readUInt8(0) & 0x0f
  const short = bytes.readUInt8(1)
  if ((short & 0x80) !== 0 || (bytes.readUInt8(0) & 0x70) !== 0) throw new Error('masked, or an extension is on')
  const lengthSize = short === 126 ? 2 : short === 127 ? 8 : 0
  if (bytes.length < 2 + lengthSize) return undefined
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const size = 2 + lengthSize + length
  return bytes.length < size ? undefined : { opcode, payload: bytes.subarray(2 + lengthSize, size), size }
}
