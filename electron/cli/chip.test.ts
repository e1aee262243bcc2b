import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { chipCommand } from './chip.ts'

function start(args: readonly string[]) {
  const stop = new AbortController()
  const stdin = new PassThrough()
  let out = ''
  let err = ''
  const ended = chipCommand.run(args, {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    stdin,
    env: {},
    signal: stop.signal,
  })
  return { ended, stdin, out: () => out, err: () => err, stop: () => stop.abort() }
}

test.runIf(process.platform === 'linux')(
  'the ready line comes first, lines on standard input act, and a signal ends with 0',
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'chip-'))
    const { ended, stdin, out, err, stop } = start([
      '--pty',
      '--state',
      state,
      '--flash',
      '4MB',
      '--mac',
      '02:00:00:00:00:01',
    ])
    await expect.poll(out).toMatch(/^\{"ready":true,"port":"\/dev\/[^"]+"\}\n/)
    expect(statSync(join(state, 'flash.bin')).size).toBe(0x400000)
    stdin.write('reset\ndownload\nunplug\nplug\nfly\n')
    await expect.poll(out).toContain('{"event":"plugged","port":"/dev/')
    await expect.poll(err).toContain('no line "fly"')
    stdin.end()
    stop()
    expect(await ended).toBe(0)
    const lines = out().trim().split('\n')
    expect(lines.slice(1, 3)).toEqual([
      '{"event":"reset","cause":"0x1 (POWERON)"}',
      '{"event":"boot","mode":"download"}',
    ])
    expect(lines).toContain('{"event":"unplugged"}')
    rmSync(state, { recursive: true })
  },
)

test.each([
  [['--fault', 'fly'], 'There is no fault "fly"'],
  [['--flash', '3MB'], '"3MB" is no flash size'],
  [['--mac', '12'], 'no MAC address'],
  [['--wings'], 'wings'],
])('wrong usage %j says what is wrong and prints nothing', async (args, reason) => {
  const { ended, out } = start(args)
  const failure = await ended.catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'server-bad-usage' })
  expect(String(failure)).toContain(reason)
  expect(out()).toBe('')
})

test('the help text documents every fault', () => {
  for (const spec of ['unplug@block=N', 'pace=BAUD', 'baud-refusal']) expect(chipCommand.help).toContain(spec)
})
