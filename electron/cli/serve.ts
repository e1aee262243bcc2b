import { spawn } from 'node:child_process'
import { AppError } from '../base/app-error.ts'
import { createForkLauncher } from '../base/launcher.ts'
import { createLog } from '../base/log.ts'
import { readConfig } from '../server/config.ts'
import { createServer, type RoostServer } from '../server/server.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions, wholeNumber } from './options.ts'
import { readAll } from './read-all.ts'

const help = `Usage: roost serve [options]

The server, headless, until SIGTERM.

  --data DIR              data directory (default: the system's place, or ROOST_DATA)
  --host ADDR             address of the TLS listener (default: all interfaces)
  --port N                TLS port (default 8443; 0 = any free one)
  --loopback-port N       plain port on 127.0.0.1 and ::1 (default 8480; 0 = any free one)
  --enrol MODE            boards without a claim: open, approve (default) or claim
  --setup-password-stdin  makes the account "owner" with the password on standard input
  --token-minutes N       life of a board's token (5 to 43200, default 1440)
  --history-days N        days that conversations are kept (0 to 36500, default 30; 0 = for ever)
  --offline               no connection to the outside (nothing in this version makes one, with it or without)

The first line on standard output is {"ready":true,…}; logs go to standard error.
`

const options = {
  data: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'loopback-port': { type: 'string' },
  enrol: { type: 'string' },
  'setup-password-stdin': { type: 'boolean' },
  'token-minutes': { type: 'string' },
  'history-days': { type: 'string' },
  offline: { type: 'boolean' },
  announce: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const enrolModes = ['open', 'approve', 'claim'] as const
const stopPatienceMs = 4_500
const anyPort = { min: 0, max: 65_535 }

export const serveCommand: Command = {
  name: 'serve',
  summary: 'the server, until SIGTERM',
  help,
  async run(args, io) {
    const { values } = readOptions({ args: [...args], options })
    const config = readConfig(
      {
        dataDir: values.data,
        host: values.host,
        port: optionalNumber('port', values.port, anyPort),
        loopbackPort: optionalNumber('loopback-port', values['loopback-port'], anyPort),
        enrol: oneOf('enrol', values.enrol, enrolModes),
        offline: values.offline,
        tokenMinutes: optionalNumber('token-minutes', values['token-minutes'], { min: 5, max: 43_200 }),
        historyDays: optionalNumber('history-days', values['history-days'], { min: 0, max: 36_500 }),
      },
      io.env,
    )
    const owner = values['setup-password-stdin']
      ? { name: 'owner', password: await readAll(io.stdin, 4096) }
      : undefined
    const log = createLog({ level: config.logLevel })
    const server = await createServer(config, { log, launcher: createForkLauncher(io.env), owner })
    io.stdout(`${JSON.stringify(readyLine(server))}\n`)
    if (values.announce) announce(server, io)
    if (!io.signal.aborted) await new Promise((resolve) => io.signal.addEventListener('abort', resolve, { once: true }))
    await closeInTime(server)
    return 0
  },
}

function optionalNumber(
  name: string,
  text: string | undefined,
  limits: { min: number; max: number },
): number | undefined {
  return text === undefined ? undefined : wholeNumber(name, text, { ...limits, fallback: 0 })
}

function oneOf<T extends string>(name: string, text: string | undefined, allowed: readonly T[]): T | undefined {
  const found = allowed.find((value) => value === text)
  if (text !== undefined && found === undefined) {
    throw new AppError('server-bad-usage', `--${name} is one of ${allowed.join(', ')}, not "${text}"`)
  }
  return found
}

/** The machine-readable first line (contracts §1). */
function readyLine(server: RoostServer) {
  const setupUrl = server.setupUrl()
  return {
    ready: true,
    console: server.consoleUrls[0],
    loopback: server.loopbackUrl,
    ca: server.caPath,
    ...(setupUrl === undefined ? {} : { setupUrl }),
    ports: server.ports,
    pid: process.pid,
  }
}

/** For a person at `npm start`: where to look, and the page itself where there is a browser. */
function announce(server: RoostServer, io: CommandIo): void {
  const setup = server.setupUrl()
  // On this machine plain loopback needs no trust in our CA; the setup secret makes the owner there too.
  const local = setup === undefined ? `${server.loopbackUrl}/` : `${server.loopbackUrl}/setup${new URL(setup).search}`
  io.stderr(`\n  Roost is running.\n\n    Console:  ${local}\n`)
  const onLan = server.consoleUrls.filter((url) => new URL(url).hostname !== 'localhost')
  for (const url of onLan) io.stderr(`    On the LAN:  ${url}\n`)
  if (setup !== undefined) io.stderr('\n  The console address makes the owner account; it works once.\n')
  io.stderr('\n  Ctrl-C stops it.\n\n')
  const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const hasDisplay =
    process.platform !== 'linux' || io.env['DISPLAY'] !== undefined || io.env['WAYLAND_DISPLAY'] !== undefined
  if (!hasDisplay || io.env['CI'] !== undefined) return
  spawn(opener, [local], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref()
}

/** Exit within 5 s of the signal (issue: graceful stop), whatever a socket or an engine does. */
async function closeInTime(server: RoostServer): Promise<void> {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), stopPatienceMs)
  const end = await Promise.race([server.close(), late.promise])
  clearTimeout(timer)
  if (end === 'late')
    throw new AppError('server-timeout', 'Something did not close in time; nothing that was saved is lost')
}
