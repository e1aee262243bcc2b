import { setImmediate as nextLoop } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  connectToolBoard,
  createSessionBench,
  plainToolBoard,
  type SessionBench,
} from '../../../test/support/session-bench.ts'
import { createDisposer } from '../../base/disposer.ts'
import { createForkLauncher } from '../../base/launcher.ts'
import { silentLog } from '../../base/log.ts'
import { createPocketSphinx } from '../agent/hearing/pocketsphinx.ts'
import type { Hearing, Speaking } from '../agent/providers.ts'
import { createSpeaking } from '../agent/speaking/speaking.ts'
import { createVad, type Vad } from '../audio/vad.ts'

// With the real engines: voice detection, recogniser and voice in their processes, Opus both ways.

const closing = createDisposer()
let bench: SessionBench
let hearing: Hearing
let speaking: Speaking
let vad: Vad

beforeAll(async () => {
  const launcher = createForkLauncher()
  const log = silentLog
  hearing = await createPocketSphinx({ launcher, log, size: 1 })
  closing.add(() => hearing.close())
  speaking = await createSpeaking({ launcher, log })
  closing.add(() => speaking.close())
  vad = await createVad({ launcher, log })
  closing.add(() => vad.close())
  await speaking.warm([{ text: 'Okay, the lamp is on.', language: 'en' }])
  bench = await createSessionBench({ engines: { hearing, speaking, vad } })
  closing.add(() => bench.close())
}, 60_000)
afterAll(() => closing.close())

/** The sentence as a board's microphone would give it, and a second of silence. */
async function spoken(text: string): Promise<Uint8Array[]> {
  const pcm: number[] = Array<number>(4800).fill(0)
  const speech = speaking.voiceFor('en')!.speak(text, { signal: new AbortController().signal, cacheable: false })
  for await (const piece of speech) pcm.push(...piece.pcm)
  pcm.push(...Array<number>(16_000).fill(0))
  const frames: Uint8Array[] = []
  for (let at = 0; at + 960 <= pcm.length; at += 960) {
    frames.push(new Uint8Array(Int16Array.from(pcm.slice(at, at + 960)).buffer))
  }
  return frames
}

async function sendInRealTime(frames: readonly Uint8Array[], send: (frame: Uint8Array) => void): Promise<void> {
  const begun = performance.now()
  for (const [index, frame] of frames.entries()) {
    while (performance.now() - begun < index * 60) await nextLoop()
    send(frame)
  }
}

test('"turn on the lamp" is heard, done and answered by the embedded engines', async () => {
  const lamp = connectToolBoard(bench, 'board', plainToolBoard(['set_lamp', 'read_temperature']))
  await vi.waitFor(async () => expect(await bench.tools.vocabulary('board')).toHaveLength(2))
  const board = await bench.connect()
  const frames = await spoken('turn on the lamp')
  board.listen('start')
  await sendInRealTime(frames, (frame) => board.far.send(frame))
  await board.ended()
  const [turn] = await bench.turns()
  expect(turn).toMatchObject({
    status: 'done',
    userText: 'turn on the lamp',
    calls: [{ ref: 'set_lamp@1', arguments: { on: true }, outcome: 'ok' }],
    replyText: 'Okay, the lamp is on.',
    notes: [],
  })
  expect(lamp.requests.at(-1)).toMatchObject({ params: { name: 'set_lamp' } })
  expect(board.story().slice(-5)).toEqual([
    'tts start',
    'tts sentence_start Okay, the lamp is on.',
    'audio',
    'tts sentence_end',
    'tts stop',
  ])
  expect(turn!.replyMs).toBeLessThan(2000)
  expect(turn!.stages.find(({ stage }) => stage === 'vad')?.detail['endedBy']).toBe('silence')
}, 60_000)
