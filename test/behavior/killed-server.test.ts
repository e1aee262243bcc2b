import { expect, test } from 'vitest'
import { bornBoardTools, initialBoardState } from '../../electron/virtual/board/board-tools.ts'
import { createRandom } from '../support/audio-signals.ts'
import { enrol, post } from '../support/foreign-client.ts'
import { killAndRestart } from '../support/kill-rounds.ts'
import { serveRoost } from '../support/roost-process.ts'
import { followTurns, freshDir, rpcOf, startBoard } from '../support/roost-server.ts'

test(
  'a server that is killed loses nothing it acknowledged, says so, and its boards come back by themselves',
  { timeout: 180_000 },
  async () => {
    expect(await killAndRestart({ kills: 3, random: createRandom(3) })).toEqual({ lost: [], unclean: 3 })
  },
)

test('a turn that ran when the server was killed is in the history as interrupted', { timeout: 120_000 }, async () => {
  const dataDir = await freshDir()
  let server = await serveRoost(dataDir)
  const { https, loopback } = server.ports
  const reporter = await enrol(server, 'reporter')
  // A lamp that takes its time, so that the turn runs still when the kill comes.
  const tools = bornBoardTools(initialBoardState(), () => undefined).map((tool) => ({ ...tool, delayMs: 60_000 }))
  const board = startBoard(server, { deviceId: 'desk', tools })
  try {
    await board.online
    const client = await rpcOf(dataDir)
    const turns = await followTurns(client, 'desk')
    await client.talk.type({ deviceId: 'desk', text: 'good morning' })
    const answered = await turns.ended()
    const { turnId: id } = await client.talk.type({ deviceId: 'desk', text: 'turn on the lamp' })
    await expect.poll(() => turns.seen.at(-1)?.id).toBe(id)
    // One buffer, first in, first out: what was acknowledged after it has the turn on the disk before it.
    const report = { body: JSON.stringify({ metrics: { uptime_s: 1 } }) }
    const headers = { Authorization: `Bearer ${reporter.token}` }
    expect((await post(server, '/telemetry', { ...report, headers })).status).toBe(202)
    expect(turns.seen.at(-1)).toMatchObject({ id, status: 'running' })
    expect((await client.turns.list({ limit: 10 })).turns.map((turn) => turn.id)).toEqual([answered.id])
    process.kill(server.pid, 'SIGKILL')
    await server.ended

    server = await serveRoost(dataDir, { https, loopback })
    const after = await rpcOf(dataDir)
    const interrupted = {
      id,
      deviceId: 'desk',
      status: 'aborted',
      userText: 'turn on the lamp',
      errorCode: 'server-restarted',
    }
    expect(await after.turns.list({ status: 'aborted', limit: 10 })).toMatchObject({ turns: [interrupted], total: 1 })
    expect(await after.turns.list({ text: 'lamp', limit: 10 })).toMatchObject({ turns: [interrupted], total: 1 })
    const all = await after.turns.list({ limit: 10 })
    expect(all.turns).toMatchObject([interrupted, { id: answered.id, status: 'done', errorCode: null }])
    expect(all.turns[0]!.endedAt).toBeGreaterThanOrEqual(all.turns[0]!.startedAt)
    expect(await after.turns.get({ id })).toEqual(all.turns[0])
  } finally {
    await board.stop()
  }
})
