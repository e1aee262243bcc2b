import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Child, createForkLauncher, type Launcher } from '../../../base/launcher.ts'
import { silentLog } from '../../../base/log.ts'
import type { Speaking, SpokenLanguage } from '../providers.ts'
import { createSpeaking } from './speaking.ts'

const children: Child[] = []
const fork = createForkLauncher()
const launcher: Launcher = {
  async launch(entry, args) {
    const child = await fork.launch(entry, args)
    children.push(child)
    return child
  },
}
let speaking: Speaking
beforeAll(async () => {
  speaking = await createSpeaking({ launcher, log: silentLog })
  await speaking.warm([{ text: 'Okay, the lamp is on.', language: 'en' }])
}, 60_000)
afterAll(() => speaking.close())

async function say(
  text: string,
  options: { language?: SpokenLanguage; signal?: AbortSignal; cacheable?: boolean } = {},
) {
  const voice = speaking.voiceFor(options.language ?? 'en')
  if (!voice) throw new Error('no voice')
  const startedAt = performance.now()
  let firstMs = 0
  const pieces: Int16Array[] = []
  let isCached = false
  for await (const { pcm, cached } of voice.speak(text, {
    signal: options.signal ?? new AbortController().signal,
    cacheable: options.cacheable ?? false,
  })) {
    firstMs ||= performance.now() - startedAt
    pieces.push(pcm)
    isCached = cached
  }
  const samples = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return {
    firstMs,
    isCached,
    ms: (samples / voice.sampleRate) * 1000,
    longest: Math.max(0, ...pieces.map((piece) => piece.length / voice.sampleRate)),
    loudness: rms(pieces),
  }
}

function rms(pieces: readonly Int16Array[]): number {
  let sum = 0
  let count = 0
  for (const piece of pieces)
    for (const sample of piece) {
      sum += sample * sample
      count++
    }
  return Math.sqrt(sum / Math.max(1, count))
}

test('an English sentence is audible, as long as speech is, and comes in short pieces', async () => {
  const spoken = await say('It is 26 degrees.')
  expect(spoken.loudness).toBeGreaterThan(500)
  expect(spoken.ms).toBeGreaterThan(800)
  expect(spoken.ms).toBeLessThan(4000)
  expect(spoken.longest).toBeLessThanOrEqual(0.1201)
})

test('a phrase that was made ahead comes at once from the cache', async () => {
  const spoken = await say('Okay, the lamp is on.', { cacheable: true })
  expect(spoken.isCached).toBe(true)
  expect(spoken.firstMs).toBeLessThan(50)
})

test('a sentence that is no fixed phrase is not kept', async () => {
  await say('It is 27 degrees.')
  expect((await say('It is 27 degrees.')).isCached).toBe(false)
})

test('a text of 2 000 words starts as soon as a short one and can be stopped', async () => {
  const abort = new AbortController()
  const voice = speaking.voiceFor('en')
  const pieces = voice?.speak('these are many words, '.repeat(500), { signal: abort.signal, cacheable: false })
  const startedAt = performance.now()
  let heard = 0
  for await (const { pcm } of pieces ?? []) {
    if (heard === 0) expect(performance.now() - startedAt).toBeLessThan(2000)
    heard += pcm.length
    if (heard > 16_000) abort.abort()
  }
  expect(heard).toBeLessThan(16_000 * 3)
  expect((await say('Okay.')).loudness).toBeGreaterThan(300)
})

test.each(['', '   ', '!!!', '\u0000', '你好', '🎉'])(
  'text that English cannot say (%j) is refused with its code',
  async (text) => {
    await expect(say(text)).rejects.toMatchObject({ code: 'voice-synthesis-failed' })
  },
)

test.each(['-o /tmp/x.wav', '--help', '<speak>hi</speak>', 'a\nb\tc', 'x'.repeat(1000), '%s%n 100% °C'])(
  'odd text (%j) is only spoken',
  async (text) => {
    expect((await say(text)).ms).toBeGreaterThan(100)
  },
)

test('after an abort nothing comes and nothing is thrown', async () => {
  expect(await say('Never heard.', { signal: AbortSignal.abort() })).toMatchObject({ ms: 0 })
})

test('a voice process that dies fails its sentence, and the next one is spoken', { timeout: 60_000 }, async () => {
  const running = say('This sentence is long enough to be cut off in the middle of it. '.repeat(10))
  children.at(-1)?.kill(true)
  await expect(running).rejects.toMatchObject({ code: 'voice-synthesis-failed' })
  expect((await say('It is back.')).loudness).toBeGreaterThan(300)
})

test('Chinese is spoken by espeak-ng where it is installed, about one syllable a character', async (context) => {
  if (!speaking.voiceFor('zh')) context.skip('espeak-ng is not installed here')
  const spoken = await say('好的，灯开了。', { language: 'zh' })
  expect(spoken.loudness).toBeGreaterThan(500)
  // Read as "hao three de five …" it would last more than three seconds.
  expect(spoken.ms).toBeLessThan(2500)
  expect(spoken.ms).toBeGreaterThan(700)
  expect((await say('现在26.5度，LED灯亮了。', { language: 'zh' })).loudness).toBeGreaterThan(500)
  await expect(say('🎉', { language: 'zh' })).rejects.toMatchObject({ code: 'voice-synthesis-failed' })
  expect(await say('好的', { language: 'zh', signal: AbortSignal.abort() })).toMatchObject({ ms: 0 })
})

test('without a Chinese voice there is none to ask, and English still speaks', async () => {
  const english = await createSpeaking({ launcher, log: silentLog, findChinese: () => Promise.resolve(undefined) })
  expect(english.voiceFor('zh')).toBeUndefined()
  expect(english.voiceFor('en')?.sampleRate).toBe(16_000)
  await english.warm([{ text: '好的', language: 'zh' }])
  await english.close()
})
