import { expect, test } from 'vitest'
import { runRoost } from '../support/roost-process.ts'
import { followTurns, startRoost } from '../support/roost-server.ts'

test.each([
  ['en', 'turn off the lamp', { on: false }],
  ['zh', '把灯打开', { on: true }],
] as const)('a sentence typed in %s is answered as a turn on the board', async (language, text, args) => {
  const roost = await startRoost()
  const board = roost.board({ deviceId: 'desk' })
  await board.online
  const client = await roost.rpc()
  const turns = await followTurns(client)

  const { turnId } = await client.talk.type({ deviceId: 'desk', text })
  const turn = await turns.ended(turnId)

  expect(turn).toMatchObject({ id: turnId, source: 'typed', status: 'done', language, userText: text })
  expect(turn.calls).toMatchObject([{ ref: 'set_lamp@1', arguments: args, outcome: 'ok' }])
  expect(turn.replyText).toMatch(language === 'zh' ? /\p{Script=Han}/u : /lamp/)
  expect(Math.abs(turn.replyMs! - (turn.firstFrameAt! - turn.startedAt))).toBeLessThanOrEqual(1)
  expect(board.of('tts').map(({ state }) => state)).toEqual(['start', 'sentence_start', 'sentence_end', 'stop'])
  expect(board.of('turn')[0]?.level).toBeGreaterThan(50)
})

test('roost say prints the turn with its stages', async () => {
  const roost = await startRoost()
  const board = roost.board({ deviceId: 'desk' })
  await board.online
  const said = runRoost(['say', '--data', roost.dataDir, '--device', 'desk', '--json', 'turn on the lamp'])
  expect(await said.ended).toEqual({ code: 0, signal: null })
  expect(said.events()).toMatchObject([{ userText: 'turn on the lamp', status: 'done', source: 'typed' }])
  expect(board.state.lamp.on).toBe(true)
})
