import { AppError } from '../base/app-error.ts'
import type { BoardSettings } from '../server/firmware/board-settings.ts'
import { connectRpc, fromWire, type RpcClient } from '../server/rpc/rpc-client.ts'
import type { CommandIo } from './command.ts'
import { findServer } from './server-access.ts'

/** What `--data` needs of a running server. */
export interface FlashServer {
  /** Address, CA (DER) and a fresh claim bound to the MAC. */
  makeClaim(mac: string): Promise<Required<Pick<BoardSettings, 'server' | 'ca' | 'claim'>>>
  /** Resolves when the board with this MAC opened a session after this call's claim; rejects when the signal aborts. */
  waitForHello(mac: string, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Finds the server of a data directory. */
export type OpenFlashServer = (from: { data: string; name: string | undefined }, io: CommandIo) => Promise<FlashServer>

export const openFlashServer: OpenFlashServer = async ({ data, name }, io) => {
  const { url, secret } = await findServer({ data }, io)
  const rpc = await connectRpc({ url, token: secret })
  const since = new Map<string, number>()
  return {
    async makeClaim(mac) {
      since.set(mac, Date.now())
      const order = { deviceId: mac, ...(name === undefined ? {} : { name }) }
      const { server, ca, claim } = await rpc.client.enrolment.makeClaim(order).catch((error: unknown) => {
        throw fromWire(error)
      })
      return { server, claim, ca: new Uint8Array(Buffer.from(ca, 'base64')) }
    },
    waitForHello: (mac, signal) => untilHeard(rpc.client, { mac, signal, since: since.get(mac) ?? 0 }),
    close: async () => rpc.close(),
  }
}

interface Wait {
  readonly mac: string
  readonly signal: AbortSignal
  /** A session that was there before does not count; both clocks are this machine's. */
  readonly since: number
}

async function untilHeard(client: RpcClient, { mac, signal, since }: Wait): Promise<void> {
  const id = mac.toLowerCase()
  for await (const event of await client.fleet.watch(undefined, { signal })) {
    const devices = event.type === 'snapshot' ? event.devices : event.changed
    const heard = devices.some(
      (device) =>
        device.id === id &&
        device.state !== 'offline' &&
        device.state !== 'connecting' &&
        (device.sessionSince ?? 0) >= since,
    )
    if (heard) return
  }
  throw new AppError('console-connection-lost', 'The server ended the stream before the board was heard')
}
