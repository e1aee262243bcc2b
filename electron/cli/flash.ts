import { createLog, silentLog } from '../base/log.ts'
import { createCompressor } from '../server/flash/compress.ts'
import { createImageShelf } from '../server/flash/image-shelf.ts'
import type { LaneEvent, LaneOutcome } from '../server/flash/lane-event.ts'
import { type JobTools, startJob } from '../server/flash/lane-job.ts'
import type { Lane } from '../server/flash/lane.ts'
import type { Command, CommandIo } from './command.ts'
import { type FlashOptions, readFlashOptions } from './flash-options.ts'
import { type FlashServer, openFlashServer, type OpenFlashServer } from './flash-server.ts'

const help = `Usage: roost flash --port P [--port P …] --image FILE [options]

Flashes boards without the console. A merged image goes to 0, an app to the app partition of the board's own table.

  --image FILE            the image
  --plan FILE             more parts, as JSON: {"version":1,"parts":[{"file","offset"?,"raw"?,"sha256"?}],"fixHeader"?}
  --wifi-ssid S           settings, written into the NVS partition …
  --wifi-password-stdin   … the password is read from standard input
  --server URL  --claim C  --ca FILE  --name N  --device-id ID
  --data DIR              take address, CA and a claim from the server of DIR, and wait until the board talks to it
  --erase all             erase the whole flash first
  --erase keep-settings   keep what the board has in NVS, settings laid over it
  --fix-header            change the flash size in the bootloader's header to the board's
  --no-verify             do not compare digests after writing
  --baud N                speed of the stub (default 921600)
  --json                  JSON lines; the last one of a lane is {"lane","result","code","mac","sha256","ms"}
`

/** `openServer` is what makes --data work. */
export function createFlashCommand(openServer: OpenFlashServer): Command {
  return {
    name: 'flash',
    summary: 'flash boards without the console',
    help,
    async run(args, io) {
      const options = await readFlashOptions(args, io)
      const server =
        options.data === undefined
          ? undefined
          : await openServer({ data: options.data, name: options.settings.name }, io)
      try {
        return await flashAll(options, io, server)
      } finally {
        await server?.close()
      }
    },
  }
}

export const flashCommand = createFlashCommand(openFlashServer)

async function flashAll(options: FlashOptions, io: CommandIo, server: FlashServer | undefined): Promise<number> {
  const shared = { shelf: createImageShelf(), compressor: createCompressor(), log: logFor(io) }
  const running = options.ports.map((port) => flashOne(port, { options, io, server, shared }))
  const cancel = () => running.forEach((lane) => lane.cancel())
  io.signal.addEventListener('abort', cancel, { once: true })
  if (io.signal.aborted) cancel()
  const outcomes = await Promise.all(running.map(({ outcome }) => outcome))
  io.signal.removeEventListener('abort', cancel)
  return outcomes.every(({ result }) => result !== 'failed') ? 0 : 1
}

interface LaneParts {
  readonly options: FlashOptions
  readonly io: CommandIo
  readonly server: FlashServer | undefined
  readonly shared: Pick<JobTools, 'shelf' | 'compressor' | 'log'>
}

function flashOne(port: string, { options, io, server, shared }: LaneParts): Lane {
  const print = options.json ? jsonPrinter(port, io) : textPrinter(port, io)
  const waiting = new AbortController()
  let mac = ''
  const lane = startJob(
    {
      port,
      parts: options.parts,
      settings: options.settings,
      erase: options.erase,
      fixHeader: options.fixHeader,
      verify: options.verify,
      baud: options.baud,
      awaitBoard: server !== undefined,
    },
    {
      ...shared,
      onEvent(event) {
        print(event)
        if (event.type === 'board') mac = event.board.mac
        if (event.type === 'phase' && event.phase === 'provision') {
          // Stays silent when the wait is given up: the lane's own deadline ends it.
          void server?.waitForHello(mac, waiting.signal).then(
            () => lane.heard(),
            () => undefined,
          )
        }
        if (event.type === 'done') waiting.abort()
      },
      ...(server ? { settingsFor: (board) => server.makeClaim(board.mac) } : {}),
    },
  )
  return lane
}

/** Everything that a program may follow; the order of the last line's fields is the contract's. */
function jsonPrinter(port: string, io: CommandIo): (event: LaneEvent) => void {
  const print = (line: object) => io.stdout(`${JSON.stringify(line)}\n`)
  return (event) => {
    if (event.type !== 'done') {
      const { type, ...rest } = event
      print({ lane: port, event: type, ...rest })
      return
    }
    const { result, code, mac, sha256, ms, message, retries, degraded } = event.outcome
    print({ lane: port, result, code, mac, sha256, ms, message, retries, degraded })
  }
}

function textPrinter(port: string, io: CommandIo): (event: LaneEvent) => void {
  let phase = ''
  return (event) => {
    if (event.type === 'phase') {
      phase = event.phase
      if (phase !== 'waiting') io.stderr(`${port}  ${phase}\n`)
    } else if (event.type === 'board') {
      const { chip, revision, mac, flashSize } = event.board
      io.stderr(`${port}  ${chip} ${revision}, ${mac}, ${String(flashSize / 0x100000)} MB flash\n`)
    } else if (event.type === 'progress') {
      const percent = event.bytesTotal === 0 ? 100 : Math.floor((event.bytesDone / event.bytesTotal) * 100)
      io.stderr(`${port}  ${phase} ${String(percent)} %\n`)
    } else if (event.type === 'speed' && event.degraded) {
      io.stderr(`${port}  slow: the board stays at ${String(event.baud)} baud\n`)
    } else if (event.type === 'done') io.stdout(`${port}  ${summary(event.outcome)}\n`)
  }
}

function summary({ result, code, message, mac, ms }: LaneOutcome): string {
  const seconds = (ms / 1000).toFixed(1)
  const why = code === null ? '' : `: ${message ?? ''} (${code})`
  return `${result}${why}${mac === null ? '' : `  ${mac}`}  ${seconds} s`
}

function logFor(io: CommandIo) {
  return io.env['ROOST_LOG'] === 'debug'
    ? createLog({ level: 'debug', target: { write: (line) => io.stderr(line) } })
    : silentLog
}
