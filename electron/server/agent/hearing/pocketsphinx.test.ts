import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Child, createForkLauncher, type Launcher } from '../../../base/launcher.ts'
import { silentLog } from '../../../base/log.ts'
import { bornTools } from '../../../contract/born-tools.ts'
import type { Hearing, HearingStream } from '../providers.ts'
import { loadFlite } from '../speaking/flite.ts'
import { consentAnswer, heardAnswers } from '../spoken-consent.ts'
import { matchIntent } from '../thinking/intent-matcher.ts'
import { findSphinxFiles } from './pocketsphinx-files.ts'
import { createPocketSphinx } from './pocketsphinx.ts'

const installed = findSphinxFiles() !== undefined
const whyNot = 'PocketSphinx with its English model is not installed here'
const support = new URL('../../../../test/support/', import.meta.url)
const commands = JSON.parse(readFileSync(new URL('spoken-commands.json', support), 'utf8')) as {
  say: string
  tool: string
  arguments: Record<string, unknown>
}[]
const chat = [
  'I think it will rain tomorrow', 'my sister bought a new car', 'do you like music', 'where are my keys',
  'what did you do yesterday', 'the train leaves in ten minutes', 'how old is your brother', 'we should go to the beach',
  'I had eggs for breakfast', 'she is reading a long book', 'can we talk later', 'that movie was really boring',
] // prettier-ignore

const flite = loadFlite()
const children: Child[] = []
const fork = createForkLauncher()
const launcher: Launcher = {
  async launch(entry, args) {
    const child = await fork.launch(entry, args)
    children.push(child)
    return child
  },
}
let hearing: Hearing
beforeAll(async () => {
  hearing = await createPocketSphinx({ launcher, log: silentLog, size: 1 })
}, 60_000)
afterAll(() => hearing.close())

function utterance(text: string): Int16Array {
  const pcm = flite.synthesise(text)
  const padded = new Int16Array(pcm.length + 9600)
  padded.set(pcm, 4800)
  return padded
}
const open = (onPartial: (text: string, complete: boolean) => void = () => undefined): Promise<HearingStream> =>
  hearing.open({ vocabulary: bornTools, language: 'en', onPartial })
function push(stream: HearingStream, pcm: Int16Array): void {
  for (let at = 0; at < pcm.length; at += 960) stream.push(pcm.subarray(at, at + 960))
}
async function hear(text: string) {
  const stream = await open()
  push(stream, utterance(text))
  return stream.finish()
}

test('the thirteen spoken commands are heard and call their tools', { timeout: 60_000 }, async (context) => {
  if (!installed) context.skip(whyNot)
  for (const { say, tool, arguments: args } of commands) {
    const heard = await hear(say)
    const match = matchIntent(heard.text, 'en', bornTools)
    const call = match !== null && 'tool' in match ? { tool: match.tool.name, arguments: match.arguments } : heard
    expect({ say, call }).toEqual({ say, call: { tool, arguments: args } })
  }
})

test(
  'loud and often, eighty is not eight, and a digit that is meant stays one',
  { timeout: 60_000 },
  async (context) => {
    if (!installed) context.skip(whyNot)
    const heard: string[] = []
    const meant = [...Array.from({ length: 12 }, () => 'eighty'), 'eight', 'five', 'nine', 'seven']
    for (const number of meant) {
      const stream = await open()
      push(
        stream,
        utterance(`set the brightness to ${number} percent`).map((sample) => sample * 2),
      )
      heard.push((await stream.finish()).text)
    }
    expect(heard).toEqual(meant.map((number) => `set the brightness to ${number} percent`))
  },
)

test('most chat is rejected, and it is told what it was taken for', { timeout: 60_000 }, async (context) => {
  if (!installed) context.skip(whyNot)
  const heard = []
  for (const line of chat) heard.push(await hear(line))
  expect(heard.filter(({ text }) => text !== '').length).toBeLessThanOrEqual(Math.floor(chat.length * 0.3))
  expect(heard.some(({ rejected }) => rejected !== undefined)).toBe(true)
})

test('a yes to a waiting call is heard only while it waits', { timeout: 60_000 }, async (context) => {
  if (!installed) context.skip(whyNot)
  const said = ['yes, do it', 'yes, go ahead', 'never mind', 'turn on the lamp']
  const listen = async (text: string, phrases?: readonly string[]) => {
    const completes: string[] = []
    const onPartial = (partial: string, complete: boolean): void => {
      if (complete) completes.push(partial)
    }
    const stream = await hearing.open({ vocabulary: bornTools, language: 'en', onPartial, ...(phrases && { phrases }) })
    push(stream, utterance(text))
    const { text: heard } = await stream.finish()
    return { heard, isComplete: completes.at(-1) === heard }
  }
  const waiting = []
  for (const text of said) waiting.push(await listen(text, heardAnswers))
  expect(waiting).toEqual(said.map((text) => ({ heard: text.replace(',', ''), isComplete: true })))
  expect((await listen('yes, do it')).heard).not.toBe('yes do it')
  for (const line of chat) expect(consentAnswer((await listen(line, heardAnswers)).heard)).not.toBe(true)
})

test('partial texts come while one speaks, and say when the command is whole', async (context) => {
  if (!installed) context.skip(whyNot)
  const partials: [string, boolean][] = []
  const stream = await open((text, complete) => partials.push([text, complete]))
  push(stream, utterance('turn on the lamp'))
  await stream.finish()
  expect(partials.length).toBeGreaterThan(1)
  expect(partials.at(-1)).toEqual(['turn on the lamp', true])
  expect(partials.some(([, complete]) => !complete)).toBe(true)
})

test('a recogniser that dies ends only its utterance; the next one is heard', { timeout: 60_000 }, async (context) => {
  if (!installed) context.skip(whyNot)
  const stream = await open()
  push(stream, utterance('turn on the fan').subarray(0, 9600))
  children.at(-1)?.kill(true)
  await expect(stream.finish()).rejects.toMatchObject({ code: 'voice-recogniser-stopped' })
  expect(await hear('turn on the fan')).toMatchObject({ text: 'turn on the fan' })
})

test('more speakers than lanes are all heard', { timeout: 60_000 }, async (context) => {
  if (!installed) context.skip(whyNot)
  const pcm = utterance('turn on the lamp')
  const streams = await Promise.all(Array.from({ length: 6 }, () => open()))
  for (const stream of streams) push(stream, pcm)
  const texts = await Promise.all(streams.map((stream) => stream.finish()))
  expect(texts.map(({ text }) => text)).toEqual(Array(6).fill('turn on the lamp'))
})

test(
  'a cancelled utterance leaves the lane free, silence and noise of a minute are nothing',
  { timeout: 60_000 },
  async (context) => {
    if (!installed) context.skip(whyNot)
    const cancelled = await open()
    push(cancelled, utterance('turn on the lamp'))
    cancelled.cancel()
    cancelled.cancel()
    const endless = await open()
    endless.push(new Int16Array(60 * 16_000))
    expect((await endless.finish()).text).toBe('')
    expect((await hear('stop')).text).toBe('stop')
  },
)

test('grammars change between utterances and the old one is still known', { timeout: 60_000 }, async (context) => {
  if (!installed) context.skip(whyNot)
  const fanOnly = bornTools.filter(({ name }) => name === 'set_fan')
  for (let round = 0; round < 7; round++) {
    const vocabulary = round % 2 === 0 ? fanOnly : bornTools.slice(0, 3 + (round % 3))
    const stream = await hearing.open({ vocabulary, language: 'en', onPartial: () => undefined })
    push(stream, utterance('turn on the fan'))
    expect((await stream.finish()).text).toBe('turn on the fan')
  }
})

test('a process that loaded many grammars is renewed between utterances', { timeout: 60_000 }, async (context) => {
  if (!installed) context.skip(whyNot)
  const own = await createPocketSphinx({ launcher, log: silentLog, size: 1, renewAfterSwaps: 2 })
  const before = children.length
  for (const count of [6, 5, 4, 3]) {
    const stream = await own.open({ vocabulary: bornTools.slice(0, count), language: 'en', onPartial: () => undefined })
    push(stream, utterance('turn on the lamp'))
    expect((await stream.finish()).text).toBe('turn on the lamp')
  }
  await expect.poll(() => children.length - before).toBe(2)
  await own.close()
})

test('without library or model it says so, does not throw, and refuses to open', async () => {
  const deaf = await createPocketSphinx({ launcher, log: silentLog, find: () => undefined })
  expect(deaf.unavailable()).toBe('voice-recogniser-missing')
  await expect(deaf.open({ vocabulary: [], language: 'en', onPartial: () => undefined })).rejects.toMatchObject({
    code: 'voice-recogniser-missing',
  })
  await deaf.close()
  expect(findSphinxFiles({ libraries: ['/nowhere'], models: ['/nowhere'] })).toBeUndefined()
})
