import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import type { Command } from './command.ts'
import { mcpCommand } from './mcp.ts'
import { tokenCommand } from './token.ts'

function freshDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'roost-token-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

async function run(command: Command, args: readonly string[], env: Record<string, string> = {}) {
  let out = ''
  let err = ''
  const io = {
    stdout: (text: string) => void (out += text),
    stderr: (text: string) => void (err += text),
    stdin: Readable.from([]),
    env,
    signal: AbortSignal.timeout(20_000),
  }
  const thrown = await command.run(args, io).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { out, err, thrown }
}

test('a new token is all of standard output, so that it can be led into the file that --token-file reads', async () => {
  const data = join(freshDir(), 'data')
  const made = await run(tokenCommand, ['make', '--for', 'mcp', '--name', 'Desk', '--data', data])
  expect(made.thrown).toBeUndefined()
  expect(made.out).toMatch(/^roost_mcp_[\w-]+\n$/)
  expect(made.err).toContain('Desk')
  const { out } = await run(tokenCommand, ['list', '--data', data])
  expect(out).toContain('Desk')
  expect(out).not.toContain(made.out.trim())
})

test('a token file with anything else in it is refused and never repeated', async () => {
  const dir = freshDir()
  const file = join(dir, 'desk.token')
  writeFileSync(file, 'roost_mcp_secretsecret\nand a remark\n')
  const server = ['--server', 'http://127.0.0.1:9']
  const wrong = await run(mcpCommand, [...server, '--token-file', file])
  expect(wrong.thrown).toMatchObject({ code: 'server-bad-usage', message: expect.stringContaining(file) as string })
  expect(JSON.stringify([wrong.out, wrong.err, String(wrong.thrown)])).not.toContain('secretsecret')
  const missing = await run(mcpCommand, [...server, '--token-file', join(dir, 'none')])
  expect(missing.thrown).toMatchObject({ code: 'server-bad-usage' })
  const environment = await run(mcpCommand, server, { ROOST_TOKEN: 'two words' })
  expect(environment.thrown).toMatchObject({ code: 'server-bad-usage' })
})
