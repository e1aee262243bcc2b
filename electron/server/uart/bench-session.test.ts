import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { silentLog } from '../../base/log.ts'
import { mcuLine } from '../../contract/uart-wire.ts'
import { createBenchSession } from './bench-session.ts'

const lamp = { name: 'Lamp', description: 'lamp', properties: { on: { type: 'boolean', description: '' } } }

async function bridgeOnWire() {
  const dir = await mkdtemp(join(tmpdir(), 'roost-uart-test-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const clock = createManualClock()
  const written: string[] = []
  let plug: (there: boolean) => void = () => undefined
  let say: (bytes: Uint8Array) => void = () => undefined
  const session = createBenchSession({
    order: { id: 's', port: '/dev/a', baud: 115_200, role: 'board', deviceId: null, virtual: false, tools: [lamp] },
    wire: {
      path: '/dev/a',
      write: async (bytes) => void written.push(Buffer.from(bytes).toString()),
      onData: (listener) => ((say = listener), () => undefined),
      setBaud: async () => undefined,
      drain: async () => undefined,
      close: async () => undefined,
      onClosed: () => undefined,
      onPlug: (listener) => void (plug = listener),
    },
    clock,
    log: silentLog,
    dir,
    playMcu: () => ({ receive: () => undefined, close: () => undefined }),
    onSession: () => undefined,
    onLines: () => undefined,
    onTools: () => undefined,
  })
  onTestFinished(() => session.close())
  await clock.advance(0)
  return {
    session,
    clock,
    written,
    plug: (there: boolean) => plug(there),
    say: (text: string) => say(Buffer.from(text)),
  }
}

test('a pulled cable ends the call in flight, and the replugged device is greeted and called with its saved tools', async () => {
  const { session, clock, written, plug, say } = await bridgeOnWire()
  const call = () => {
    const { signal } = new AbortController()
    return session.call({ name: 'Lamp', arguments: { on: true }, turnId: null, signal })
  }
  const cut = expect(call()).rejects.toMatchObject({ code: 'uart-not-open' })
  await clock.advance(0)
  plug(false)
  await cut
  expect(session.view()).toMatchObject({ state: 'opening', errorCode: 'uart-unplugged' })
  written.length = 0
  plug(true)
  await clock.advance(0)
  expect(session.view()).toMatchObject({ state: 'open', errorCode: null, tools: [{ name: 'Lamp' }] })
  expect(written[0]).toContain('AI Start')
  const answered = call()
  await clock.advance(0)
  say(mcuLine({ type: 'mcp-responsive', status: 'true' }))
  expect(await answered).toBe('true')
})
