import { errorText } from '../contract/errors.ts'
import { toAppError } from '../base/app-error.ts'
import type { Command, CommandIo } from './command.ts'
import { environment } from './environment.ts'

// One file a command, loaded when it is asked for: `roost nvs` does not start a web server's code.
const commands: Readonly<Record<string, { summary: string; load(): Promise<Command> }>> = {
  serve: { summary: 'the server, until SIGTERM', load: async () => (await import('./serve.ts')).serveCommand },
  board: {
    summary: 'virtual boards that talk to a server',
    load: async () => (await import('./board.ts')).boardCommand,
  },
  chip: { summary: 'a virtual ESP32-S3 on a serial port', load: async () => (await import('./chip.ts')).chipCommand },
  ports: {
    summary: 'serial ports, and why one cannot be used',
    load: async () => (await import('./ports.ts')).portsCommand,
  },
  flash: { summary: 'flash boards without the console', load: async () => (await import('./flash.ts')).flashCommand },
  image: { summary: 'what an image file is', load: async () => (await import('./image.ts')).imageCommand },
  nvs: { summary: 'make and read NVS partitions', load: async () => (await import('./nvs.ts')).nvsCommand },
  tools: {
    summary: 'list, show, export, import and call tools',
    load: async () => (await import('./tools.ts')).toolsCommand,
  },
  things: {
    summary: 'list, show, export and import Things',
    load: async () => (await import('./things.ts')).thingsCommand,
  },
  uart: {
    summary: 'microcontrollers that speak UART-MCP',
    load: async () => (await import('./uart.ts')).uartCommand,
  },
  say: { summary: 'a typed utterance to a board', load: async () => (await import('./say.ts')).sayCommand },
  mcp: {
    summary: 'the house for an AI program, over standard input and output',
    load: async () => (await import('./mcp.ts')).mcpCommand,
  },
  token: {
    summary: 'make, list and revoke tokens of outside programs',
    load: async () => (await import('./token.ts')).tokenCommand,
  },
  bench: { summary: 'measure this machine', load: async () => (await import('./bench.ts')).benchCommand },
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}`)
  return ['Usage: roost <command> [options]', '', ...rows, '', 'roost <command> --help says more.', ''].join('\n')
}

/** Aborts on SIGTERM and SIGINT. A terminal and a forwarding parent both send Ctrl-C: twice is one wish. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stopping.abort())
  return stopping.signal
}

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    io.stdout(overview())
    return name === undefined ? 2 : 0
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) {
    io.stderr(`roost: no command "${name}"\n\n${overview()}`)
    return 2
  }
  const command = await entry.load()
  if (rest.includes('--help') || rest.includes('-h')) {
    io.stdout(command.help.endsWith('\n') ? command.help : `${command.help}\n`)
    return 0
  }
  return command.run(rest, io)
}

/** The catch-all of this process: any failure becomes a code, a cause and a next step. */
function explain(error: unknown, io: CommandIo): number {
  const { code, message } = toAppError(error)
  const text = errorText(code, 'en')
  io.stderr(`roost: ${text.headline} (${code})\n  ${message}\n  ${text.next}\n`)
  return code === 'server-bad-usage' ? 2 : 1
}

const io: CommandIo = {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  stdin: process.stdin,
  env: environment(),
  signal: stopSignal(),
}
// A reader that goes away (`roost … | head`) is no crash.
process.stdout.on('error', () => undefined)
process.exitCode = await run(process.argv.slice(2), io).catch((error: unknown) => explain(error, io))
// Handles of libraries (mDNS, speech) must not keep a finished command alive; what is written must be out first.
process.stdout.write('', () => process.exit())
