import { Bonjour, type Service } from 'bonjour-service'
import type { Log } from '../../base/log.ts'

export interface Discovery {
  close(): Promise<void>
}

interface DiscoveryOptions {
  /** Shown in lists of servers. */
  readonly name: string
  readonly port: number
  /** TXT of contracts §2. */
  readonly id: string
  readonly fingerprint: string
  readonly log: Log
}

const withinMs = 1_000

/** Announces the server on the LAN as `_roost._tcp`. A network without multicast is no fault: it is logged once. */
export function announceServer({ name, port, id, fingerprint, log }: DiscoveryOptions): Discovery {
  const note = (error: unknown) => log.warn('not announced by mdns', { error })
  const bonjour = new Bonjour({}, note)
  // Probing prints to standard output when the name is taken; the id in it makes that impossible.
  const service: Service = bonjour.publish({
    name,
    type: 'roost',
    port,
    txt: { v: '1', id, fp: fingerprint, path: '/' },
  })
  service.on('error', note)
  return {
    close: () =>
      new Promise((resolve) => {
        // A goodbye that cannot be sent must not hold up the stop.
        const timer = setTimeout(resolve, withinMs)
        bonjour.unpublishAll(() => {
          bonjour.destroy(() => {
            clearTimeout(timer)
            resolve()
          })
        })
      }),
  }
}
