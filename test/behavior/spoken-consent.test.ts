import { expect, test } from 'vitest'
import { speak } from '../support/audio-signals.ts'
import { followTurns, startRoost } from '../support/roost-server.ts'

test('a spoken command that could destroy waits for a spoken yes, which the recogniser listens for', async () => {
  const roost = await startRoost()
  const board = roost.board({ deviceId: 'desk-1' })
  await board.online
  const client = await roost.rpc()
  const draft = await client.tools.openDraft({ name: 'set_lamp' })
  const content = { ...draft.content, danger: 'destructive' as const }
  const saved = await client.tools.saveDraft({ id: draft.id, revision: draft.revision, content })
  await client.tools.publishDraft({ draftId: saved.id, basedOn: saved.basedOn, note: 'asks first', canary: [] })
  const turns = await followTurns(client, 'desk-1')
  const say = async (text: string) => {
    await board.say(speak(text, 'flite')!.pcm, text)
    return turns.ended()
  }

  const asked = await say('turn on the lamp')
  expect(asked.calls).toMatchObject([{ outcome: 'refused', errorCode: 'tool-needs-consent' }])
  expect(board.state.lamp.on).toBe(false)

  const yes = await say('yes do it')
  expect(yes).toMatchObject({ userText: 'yes do it', source: 'voice', replyText: 'Okay, done.' })
  expect(yes.calls).toMatchObject([{ outcome: 'ok', arguments: { on: true } }])
  expect(board.state.lamp.on).toBe(true)

  // Nothing waits any more: the same words are no answer to anything.
  const again = await say('yes do it')
  expect(again.calls).toEqual([])
  expect(board.of('tool')).toHaveLength(1)
})
