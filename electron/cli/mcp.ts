import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { AppError } from '../base/app-error.ts'
import { runStdioProxy } from '../server/tools/gateway/stdio-proxy.ts'
import type { Command } from './command.ts'
import { readOptions } from './options.ts'
import { findServer, readToken } from './server-access.ts'

const help = `Usage: roost mcp [options]

Speaks MCP on standard input and output and leads it to a running server: for programs that start their MCP servers
themselves, such as Claude Desktop. Ends with its input.

  --data DIR         the running server of this data directory
  --server URL       or this server, with --token-file FILE or ROOST_TOKEN
  --token-file FILE  a token of "roost token make --for mcp"; what it may do is what its client may do.
                     Without one, on this machine, every tool that only reads may be called, and no other
  --ca FILE          the server's CA (its data directory has it as tls/ca.pem), for https
`

const options = {
  data: { type: 'string' },
  server: { type: 'string' },
  'token-file': { type: 'string' },
  ca: { type: 'string' },
  json: { type: 'boolean' },
} as const

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'the house for an AI program, over standard input and output',
  help,
  async run(args, io) {
    const { values } = readOptions({ args: [...args], options })
    const { url, secret } = await findServer(values, io)
    const token = values.server === undefined ? ((await readToken(values['token-file'], io)) ?? secret) : secret
    if (values.ca !== undefined) {
      const ca = await readFile(values.ca, 'utf8').catch((cause: unknown) => {
        throw new AppError('server-bad-usage', `--ca ${values.ca ?? ''} cannot be read`, { cause })
      })
      // This process talks to one server only.
      setDefaultCACertificates([...getCACertificates('default'), ca])
    }
    await runStdioProxy({
      url: new URL('/mcp', url).href,
      token,
      stdin: Readable.from(io.stdin),
      stdout: (text) => io.stdout(text),
      signal: io.signal,
      onTrouble: (message) => io.stderr(`roost mcp: ${message}\n`),
    })
    return 0
  },
}
