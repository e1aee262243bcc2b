import { withDeadline } from '../../base/deadline.ts'
import type { Launcher } from '../../base/launcher.ts'
import type { Log } from '../../base/log.ts'
import { endpointDefaults, type EndpointSettings } from './endpoint-machine.ts'
import { createVadLink } from './vad-link.ts'
import { createVadStream, type HeardStream, type VadStream } from './vad-stream.ts'

/** The first start may load a cold disk; a server that waits longer serves nobody. */
const startMs = 10_000
/** A window takes 0.1 ms, a busy machine some hundred. A process that owes an answer for so long hangs. */
const hungMs = 2_000

export interface Vad {
  /** Streams of this server, each with its own memory. Settings that are left out are the defaults. */
  open(settings?: Partial<EndpointSettings>): VadStream
  /** False while the model is away; streams then judge by level. */
  readonly alive: boolean
  /** Of the process, while there is one. */
  readonly pid: number | undefined
  close(): void
}

/**
 * Resolves when the model is ready, or has failed to start once: the server works without it, by level, and it is
 * tried again (voice-vad-stopped is never thrown here).
 */
export async function createVad(options: { readonly launcher: Launcher; readonly log: Log }): Promise<Vad> {
  const log = options.log.child('vad')
  const streams = new Map<number, HeardStream>()
  let nextStream = 0
  const { link, first } = createVadLink({
    launcher: options.launcher,
    log,
    onHeard: ({ stream, epoch, probabilities }) => streams.get(stream)?.heard(epoch, probabilities),
    onAway: () => streams.forEach((stream) => stream.away()),
  })

  function send(stream: number, epoch: number, windows: Int16Array): boolean {
    const since = streams.get(stream)?.waitingSince
    if (since !== undefined && performance.now() - since > hungMs) {
      log.warn('voice detection hangs and is ended')
      link.kill()
    }
    const pcm = new Uint8Array(windows.buffer, windows.byteOffset, windows.byteLength)
    return link.post({ op: 'windows', stream, epoch, pcm })
  }

  await withDeadline(first, startMs, { code: 'voice-vad-stopped', message: 'Voice detection is slow to start' }).catch(
    (error: unknown) => log.warn('starting without voice detection', { error }),
  )
  return {
    open(settings = {}) {
      const id = nextStream++
      const stream = createVadStream(
        { ...endpointDefaults, ...settings },
        {
          send: (epoch, windows) => send(id, epoch, windows),
          left() {
            streams.delete(id)
            link.post({ op: 'close', stream: id })
          },
        },
      )
      streams.set(id, stream)
      return stream
    },
    get alive() {
      return link.alive
    },
    get pid() {
      return link.pid
    },
    close() {
      for (const stream of [...streams.values()]) stream.close()
      link.close()
    },
  }
}
