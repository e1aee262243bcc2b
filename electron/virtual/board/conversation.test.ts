import { expect, test } from 'vitest'
import type { BoardEvent } from './board-events.ts'
import { createConversation } from './conversation.ts'

function boardInSession() {
  const sent: (string | Uint8Array)[] = []
  const events: BoardEvent[] = []
  const conversation = createConversation({
    id: 'board',
    frameDuration: 60,
    codecs: ['opus', 'pcm'],
    link: { loss: 0, jitterMs: 0, random: () => 0, fec: false },
    send: (data) => void sent.push(data),
    emit: (event) => void events.push(event),
  })
  const hear = (message: object) => conversation.receive(JSON.stringify(message))
  conversation.opened()
  hear({ type: 'hello', session_id: 's1' })
  return { conversation, sent, events, hear }
}

const silence = new Int16Array(960)

test('a session that ends during a turn of the server hurts nobody', async () => {
  const { conversation, events, hear } = boardInSession()
  hear({ type: 'stt', text: 'turn on the lamp', final: true })
  hear({ type: 'tts', state: 'start' })
  conversation.closed()
  // An unhandled rejection would fail this run after the next turn of the loop.
  await new Promise(setImmediate)
  expect(events.at(-1)).toEqual({ event: 'state', id: 'board', state: 'offline' })
  conversation.close()
})

test('who spoke is told when the session ends before the reply', async () => {
  const { conversation } = boardInSession()
  const turn = conversation.say(silence, 'hello')
  conversation.closed()
  await expect(turn).rejects.toMatchObject({ code: 'console-connection-lost' })
  conversation.close()
})

test('a turn without speech ends with an empty transcript and no reply', async () => {
  const { conversation, hear, sent } = boardInSession()
  const turn = conversation.say(silence, 'nothing')
  expect(JSON.parse(String(sent[1]))).toEqual({ type: 'listen', state: 'start' })
  hear({ type: 'stt', text: '', final: true })
  expect(await turn).toMatchObject({ said: 'nothing', text: '', frames: 0, first_audio_ms: null })
  conversation.close()
})

test('an unknown message and a broken one are ignored', () => {
  const { conversation, events, hear } = boardInSession()
  const before = events.length
  hear({ type: 'confetti', colour: 'red' })
  conversation.receive('{"type":')
  expect(events).toHaveLength(before)
  conversation.close()
})
