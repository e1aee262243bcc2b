import { spawn } from 'node:child_process'
import { constants, getPriority, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { pause } from '../../electron/base/deadline.ts'
import { sampleApp, sampleMerged } from '../support/esp-image.ts'
import type { BenchServer } from './bench-server.ts'
import { ownChild } from './own-child.ts'

/** The wire of a real board: a chip without it would take whole cores, which no board does. */
const wireBaud = 921_600
const mib = 1024 * 1024

export interface FlashTraffic {
  /** Lanes flash one job after the other until `stop`; resolves when the last one has ended. */
  start(): { stop(): Promise<void> }
  /** Whole lanes that ended well, and those that did not: a busy machine may starve a chip. */
  readonly written: number
  readonly failed: number
  close(): Promise<void>
}

interface Chip {
  readonly port: string
  readonly input: Writable
  stop(): Promise<void>
}

/** The server's own flasher, busy on so many virtual chips, each a process with a serial port at 921 600 baud. */
export async function openFlashTraffic(server: BenchServer, lanes: number): Promise<FlashTraffic> {
  const chips = await Promise.all(Array.from({ length: lanes }, (_, index) => startChip(index)))
  // Two images in turn: what a board has already is not written again.
  const images = await Promise.all(['one.bin', 'two.bin'].map((name) => upload(server, name)))
  let round = 0
  let written = 0
  let failed = 0

  async function flashAll(): Promise<void> {
    for (const { input } of chips) input.write('download\n')
    const { jobId } = await server.rpc.flash.start({
      ports: chips.map(({ port }) => port),
      imageId: images[round++ % images.length] ?? '',
      wifi: [],
      name: '',
      provision: false,
      erase: 'none',
    })
    const job = await ended(server, jobId)
    for (const { result } of job.lanes) {
      if (result === 'written') written += 1
      else failed += 1
    }
    if (job.lanes.every(({ result }) => result === 'failed'))
      throw new Error(`No lane was written: ${job.message ?? ''}`)
  }

  return {
    start() {
      const stopping = new AbortController()
      const running = (async () => {
        while (!stopping.signal.aborted) await flashAll()
      })()
      // Told by stop().
      running.catch(() => undefined)
      return {
        stop: () => {
          stopping.abort()
          return running
        },
      }
    },
    get written() {
      return written
    },
    get failed() {
      return failed
    },
    async close() {
      await Promise.all(chips.map((chip) => chip.stop()))
    },
  }
}

async function startChip(index: number): Promise<Chip> {
  const roost = fileURLToPath(new URL('../../electron/cli/roost.ts', import.meta.url))
  const mac = `7c:df:a1:00:00:0${index + 1}`
  const child = spawn(process.execPath, [roost, 'chip', '--pty', '--mac', mac, '--fault', `pace=${wireBaud}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const owned = ownChild(child)
  // It stands for hardware, which takes none of this machine's time.
  if (child.pid !== undefined)
    setPriority(child.pid, Math.min(19, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL))
  const ready = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as { ready?: boolean; port?: string }
    if (event.ready && event.port !== undefined) ready.resolve(event.port)
  })
  child.once('exit', (code) => ready.reject(new Error(`The virtual chip ended with ${String(code)}`)))
  return { port: await ready.promise, input: child.stdin, stop: () => owned.stop() }
}

async function upload(server: BenchServer, name: string): Promise<string> {
  const answer = await fetch(`${server.loopback}/api/images`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${server.secret}`,
      'Content-Type': 'application/octet-stream',
      'X-Image-Name': name,
    },
    body: new Uint8Array(sampleMerged({ app: sampleApp({ length: mib, random: true }) })),
  })
  if (!answer.ok) throw new Error(`The image was refused: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

async function ended(server: BenchServer, id: string) {
  for (;;) {
    const job = await server.rpc.jobs.get({ id })
    if (job.state !== 'running') return job
    await pause(250)
  }
}
