import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followTurns, freshDir, startRoost } from '../support/roost-server.ts'

/** Seconds of a 440 Hz tone at 22 050 Hz. */
function toneWav(seconds: number): Uint8Array {
  const rate = 22_050
  const bytes = Buffer.alloc(44 + rate * seconds * 2)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(rate * seconds * 2, 40)
  for (let at = 0; at < rate * seconds; at++)
    bytes.writeInt16LE(Math.round(9000 * Math.sin((2 * Math.PI * 440 * at) / rate)), 44 + at * 2)
  return bytes
}

test('music of the folder sounds on the board until it is stopped there', async () => {
  const folder = await freshDir('music')
  await writeFile(join(folder, 'Choir - Long Note.wav'), toneWav(60))
  const roost = await startRoost()
  const board = roost.board({ deviceId: 'desk' })
  await board.online
  const client = await roost.rpc()
  const turns = await followTurns(client, 'desk')
  const say = async (text: string) => turns.ended((await client.talk.type({ deviceId: 'desk', text })).turnId)
  await copyFile(new URL('../support/two-tones.mp3', import.meta.url), join(folder, '01.mp3'))
  expect(await client.music.setFolder({ folder })).toMatchObject({ folder, tracks: 2 })

  expect((await say('play long note')).replyText).toBe('Playing Long Note by Choir.')
  const at = async () => (await client.music.state()).playing[0]?.at ?? 0
  await expect.poll(at, { timeout: 20_000 }).toBeGreaterThan(1_000)
  expect((await client.music.state()).playing).toMatchObject([{ track: 'Long Note', artist: 'Choir', paused: false }])

  await client.talk.stop({ deviceId: 'desk' })
  await expect.poll(async () => (await client.music.state()).playing, { timeout: 20_000 }).toEqual([])
  const played = await turns.ended()
  expect(played).toMatchObject({ source: 'announcement', replyText: 'Choir – Long Note', status: 'aborted' })

  expect((await say('play nothing like this')).calls).toMatchObject([
    { outcome: 'failed', errorCode: 'helper-no-music' },
  ])

  // An MP3 that is known by its tags alone, played to its end.
  expect((await say('play two tones')).replyText).toBe('Playing Two Tones by Sox.')
  expect(await turns.ended()).toMatchObject({ replyText: 'Sox – Two Tones', status: 'done' })
  await expect.poll(async () => (await client.music.state()).playing, { timeout: 20_000 }).toEqual([])
})
