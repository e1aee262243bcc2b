import { execFile } from 'node:child_process'
import { copyFile, cp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { environment } from '../../electron/cli/environment.ts'
import { makeClient } from '../support/mcp-client.ts'
import { runRoost } from '../support/roost-process.ts'
import { freshDir, startRoost } from '../support/roost-server.ts'

const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const inspectorFolder = here('node_modules/@modelcontextprotocol/inspector-cli')
const roostProgram = here('electron/cli/roost.ts')

/** The package reads the file of the repository that it was built in: it is laid out as it was there. */
async function openInspector() {
  const root = await freshDir('inspector')
  await cp(join(inspectorFolder, 'build'), join(root, 'cli', 'build'), { recursive: true })
  await copyFile(join(inspectorFolder, 'package.json'), join(root, 'package.json'))
  await symlink(join(inspectorFolder, 'node_modules'), join(root, 'cli', 'node_modules'))
  await symlink(here('node_modules'), join(root, 'node_modules'))
  /** Its answer is JSON. */
  return async function inspect(args: readonly string[]): Promise<Record<string, unknown>> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'cli', 'build', 'cli.js'), '--cli', ...args],
      { env: { ...environment(), NODE_OPTIONS: '' }, timeout: 100_000 },
    )
    return JSON.parse(stdout) as Record<string, unknown>
  }
}

test(
  "the official Inspector lists and calls a board's tool over /mcp and over stdio",
  { timeout: 400_000 },
  async () => {
    const roost = await startRoost()
    const inspect = await openInspector()
    const board = roost.board({ deviceId: 'hall' })
    await board.online
    const { token } = await makeClient(await roost.rpc(), { allowed: ['set_lamp'], readOnly: false })
    const roads = {
      http: [`${roost.loopback}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`],
      stdio: ['-e', `ROOST_DATA=${roost.dataDir}`, '-e', `ROOST_TOKEN=${token}`, process.execPath, roostProgram, 'mcp'],
    }
    for (const [road, on] of [
      ['http', true],
      ['stdio', false],
    ] as const) {
      const list = await inspect([...roads[road], '--method', 'tools/list'])
      expect(list['tools'], road).toMatchObject([{ name: 'set_lamp', inputSchema: { required: ['on'] } }])
      const called = ['--method', 'tools/call', '--tool-name', 'set_lamp', '--tool-arg', 'device=hall', `on=${on}`]
      expect((await inspect([...roads[road], ...called]))['isError'], road).toBeUndefined()
      expect(board.state.lamp.on, road).toBe(on)
    }
  },
)

test(
  'a token is made, listed and revoked by the command line, with a running server and without',
  { timeout: 400_000 },
  async () => {
    const dataDir = await freshDir()
    const token = async (...args: string[]) => {
      const run = runRoost(['token', ...args, '--json', '--data', dataDir])
      expect(await run.ended, run.err.join('')).toEqual({ code: 0, signal: null })
      return JSON.parse(run.out.join('')) as Record<string, unknown>
    }
    const made = await token(
      'make',
      '--for',
      'mcp',
      '--name',
      'Desk',
      '--expires',
      '7',
      '--allow',
      'set_lamp',
      'get_volume',
    )
    expect(made).toMatchObject({ name: 'Desk', purpose: 'mcp', readOnly: true, allowed: ['set_lamp', 'get_volume'] })
    expect(Number(made['expiresAt']) - Number(made['createdAt'])).toBe(7 * 24 * 3_600_000)

    const roost = await startRoost({ dataDir })
    expect(await token('list')).toMatchObject([{ id: made['id'], revokedAt: null }])
    const file = join(dataDir, 'token')
    await writeFile(file, `${String(made['token'])}\n`)
    const proxy = runRoost(['mcp', '--server', roost.loopback, '--token-file', file])
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    proxy.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    expect(await proxy.line((line) => line['id'] === 1)).toMatchObject({ result: { serverInfo: { name: 'roost' } } })
    proxy.child.stdin?.end()
    expect(await proxy.ended).toEqual({ code: 0, signal: null })

    // Asked and ended at once, as a shell does it: what was asked is answered all the same.
    const piped = runRoost(['mcp', '--server', roost.loopback, '--token-file', file])
    piped.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params })}\n`)
    piped.child.stdin?.end()
    expect(await piped.line((line) => line['id'] === 7)).toMatchObject({ result: { serverInfo: { name: 'roost' } } })
    expect(await piped.ended).toEqual({ code: 0, signal: null })

    await token('revoke', String(made['id']))
    const refused = runRoost(['mcp', '--server', roost.loopback, '--token-file', file])
    refused.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    refused.child.stdin?.end()
    expect((await refused.ended).code).toBe(1)
    expect(refused.err.join('')).toContain('mcp-token-unknown')
    const wrong = runRoost(['token', 'make', '--for', 'everything'])
    expect((await wrong.ended).code).toBe(2)
  },
)
