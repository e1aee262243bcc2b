import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { environment } from '../../electron/cli/environment.ts'
import { makeClient, tokenProxy } from '../support/mcp-client.ts'
import { conformanceSource } from '../support/mcp-fixtures.ts'
import { freshDir, startRoost } from '../support/roost-server.ts'

const runner = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
const expectedFailures = fileURLToPath(new URL('../support/mcp-expected-failures.yml', import.meta.url))

/** How many checks must have passed in each scenario: one that checked nothing proves nothing. */
const passedAtLeast: Readonly<Record<string, number>> = {
  'server-initialize': 1,
  'logging-set-level': 1,
  ping: 1,
  'completion-complete': 1,
  'tools-list': 1,
  'tools-call-simple-text': 1,
  'tools-call-image': 1,
  'tools-call-audio': 1,
  'tools-call-embedded-resource': 1,
  'tools-call-mixed-content': 1,
  'tools-call-with-logging': 1,
  'tools-call-error': 1,
  'tools-call-with-progress': 1,
  'json-schema-2020-12': 4,
  'server-sse-polling': 3,
  'server-sse-multiple-streams': 2,
  'resources-list': 1,
  'resources-read-text': 1,
  'resources-read-binary': 1,
  'resources-templates-read': 1,
  'resources-subscribe': 1,
  'resources-unsubscribe': 1,
  'prompts-list': 1,
  'prompts-get-simple': 1,
  'prompts-get-with-args': 1,
  'prompts-get-embedded-resource': 1,
  'prompts-get-with-image': 1,
  'dns-rebinding-protection': 2,
}
const notOffered = [
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
]

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED'
  readonly errorMessage?: string
}

/** The checks of each scenario, by its name. */
async function checksIn(dir: string): Promise<Map<string, Check[]>> {
  const found = new Map<string, Check[]>()
  for (const folder of await readdir(dir)) {
    const name = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(folder)?.[1]
    if (name === undefined) continue
    found.set(name, JSON.parse(await readFile(join(dir, folder, 'checks.json'), 'utf8')) as Check[])
  }
  return found
}

test(
  'the official runner passes every server scenario but those for what is not offered',
  { timeout: 180_000 },
  async () => {
    const roost = await startRoost()
    roost.server.gateway.register(conformanceSource)
    const { token } = await makeClient(await roost.rpc())
    const url = await tokenProxy(roost.loopback, token)
    const dir = await freshDir('conformance')
    const args = ['server', '--url', url, '--suite', 'all', '--expected-failures', expectedFailures, '-o', dir]
    const child = spawn(process.execPath, [runner, ...args], { cwd: dir, env: { ...environment(), NODE_OPTIONS: '' } })
    let said = ''
    child.stdout.on('data', (part: Buffer) => (said += part.toString()))
    child.stderr.on('data', (part: Buffer) => (said += part.toString()))
    const [code] = (await once(child, 'close')) as [number | null]

    const checks = await checksIn(dir)
    const of = (name: string, status: Check['status']) =>
      (checks.get(name) ?? []).filter((check) => check.status === status)
    const table = [...checks.keys()].sort().map((name) => `${name}: ${of(name, 'SUCCESS').length} passed`)
    expect(code, said.slice(-4_000)).toBe(0)
    expect([...checks.keys()].sort(), said.slice(-2_000)).toEqual([...Object.keys(passedAtLeast), ...notOffered].sort())
    for (const [name, least] of Object.entries(passedAtLeast)) {
      expect(of(name, 'FAILURE'), name).toEqual([])
      expect(of(name, 'WARNING'), name).toEqual([])
      expect(of(name, 'SUCCESS').length, table.join('\n')).toBeGreaterThanOrEqual(least)
    }
    // What fails, fails because it is not offered, and not for another reason.
    for (const name of notOffered) expect(JSON.stringify(checks.get(name))).toMatch(/Unknown tool/)
  },
)
