import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../electron/base/log.ts'
import { systemClock } from '../../electron/base/clock.ts'
import type { Alarm } from '../../electron/contract/helper-tools.ts'
import type { ToolVersion } from '../../electron/contract/tool.ts'
import { bornTools } from '../../electron/contract/born-tools.ts'
import { createForkLauncher } from '../../electron/base/launcher.ts'
import { findSphinxFiles } from '../../electron/server/agent/hearing/pocketsphinx-files.ts'
import { createPocketSphinx } from '../../electron/server/agent/hearing/pocketsphinx.ts'
import { loadFlite } from '../../electron/server/agent/speaking/flite.ts'
import { matchSaid } from '../../electron/server/agent/thinking/intent-matcher.ts'
import { detectLanguage } from '../../electron/server/agent/thinking/language.ts'
import { openStore } from '../../electron/server/store/open-store.ts'
import { openBuiltin } from '../../electron/server/tools/builtin/open-builtin.ts'
import { createSchemaChecker } from '../../electron/server/tools/json-schema.ts'
import { freshDir } from '../support/roost-server.ts'

interface Row {
  readonly say: string
  readonly tool: string
  readonly arguments?: Readonly<Record<string, unknown>>
}
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../support/${name}`, import.meta.url), 'utf8'))
const rows = read('builtin-phrases.json') as Row[]
const household = read('household-phrases.json') as Readonly<Record<string, readonly string[]>>
const chat = read('chat-lines.json') as string[]
const now = new Date(2026, 10, 30, 15, 0)

async function openTools(ringing?: Alarm) {
  const dir = await freshDir()
  const store = await openStore({ dir, log: silentLog })
  if (ringing) await store.helpers.putAlarm(ringing)
  const builtin = await openBuiltin({
    store,
    clock: systemClock,
    log: silentLog,
    picturesDir: dir,
    registry: {
      adopt: async (content, { name }) => ({
        ...content,
        name,
        version: 1,
        status: 'published',
        createdAt: 0,
        origin: 'builtin',
      }),
      published: () => undefined,
      startOff: async () => undefined,
    },
    ports: {
      wall: Date.now,
      zone: () => 'UTC',
      random: () => 0,
      boards: async () => [],
      isPresent: () => false,
      announce: () => 'offline',
      playSound: async () => 'stopped',
      identify: () => undefined,
      callTool: () => Promise.reject(new Error('nothing is called here')),
      languageOf: () => 'en',
    },
  })
  onTestFinished(async () => {
    await builtin.close()
    await store.close()
  })
  const offered = (await builtin.provider.offers('board')).flatMap(({ tool }) => tool ?? [])
  return { provider: builtin.provider, offered }
}

const builtinTools = async (ringing?: Alarm) => (await openTools(ringing)).offered

/** What the matcher makes another call of, or one that the tool's schema refuses. */
function misunderstood(said: readonly Row[], offered: readonly ToolVersion[]): string[] {
  const checker = createSchemaChecker()
  return said.flatMap((row) => {
    const match = matchSaid({ text: row.say, language: detectLanguage(row.say), now }, offered)
    if (!match || !('tool' in match) || match.tool.name !== row.tool)
      return [`${row.say} → ${match && 'tool' in match ? match.tool.name : 'nothing'}`]
    const fault = checker.fault(match.tool.arguments, match.arguments)
    const isRight = row.arguments === undefined || isDeepStrictEqual({ ...match.arguments }, row.arguments)
    return fault || !isRight ? [`${row.say} → ${JSON.stringify(match.arguments)} ${fault?.message ?? ''}`] : []
  })
}

test('every built-in tool is understood in at least five phrasings of each language, with the arguments that its schema wants', async () => {
  const offered = [...bornTools, ...(await builtinTools())]
  // Offered only while something sounds.
  const wrong = misunderstood(
    rows.filter(({ tool }) => tool !== 'hush'),
    offered,
  )
  expect(wrong).toEqual([])
  for (const { name } of offered.filter(({ origin }) => origin === 'builtin'))
    for (const language of ['en', 'zh'])
      expect([
        name,
        rows.filter((row) => row.tool === name && detectLanguage(row.say) === language).length >= 5,
      ]).toEqual([name, true])
})

test('what parents and teachers say is understood, at least three wordings of each tool in each language', async () => {
  const offered = [...bornTools, ...(await builtinTools())]
  const said = Object.entries(household).flatMap(([tool, says]) => says.map((say) => ({ say, tool })))
  // Offered only while something sounds.
  expect(
    misunderstood(
      said.filter(({ tool }) => tool !== 'hush'),
      offered,
    ),
  ).toEqual([])
  for (const { name } of offered.filter(({ origin }) => origin === 'builtin'))
    for (const language of ['en', 'zh'])
      expect([
        name,
        language,
        (household[name] ?? []).filter((say) => detectLanguage(say) === language).length >= 3,
      ]).toEqual([name, language, true])
})

test.each<readonly [string, string, Readonly<Record<string, unknown>>]>([
  ['明天下午三点有家长会', 'calendar_add', { title: '家长会', at: '2026-12-01T15:00' }],
  ['在日历上加明天下午三点家长会', 'calendar_add', { title: '家长会', at: '2026-12-01T15:00' }],
  ['帮我记一个周五上午九点的牙医', 'calendar_add', { title: '牙医', at: '2026-12-04T09:00' }],
  ['下周一下午三点有家长会', 'calendar_add', { title: '家长会', at: '2026-12-07T15:00' }],
  [
    "put parents' evening in the calendar for tomorrow at 3 pm",
    'calendar_add',
    { title: "parents' evening", at: '2026-12-01T15:00' },
  ],
  ['删除家长会', 'calendar_delete', { title: '家长会' }],
  ['delete the dentist', 'calendar_delete', { title: 'dentist' }],
  ['把家长会改到四点', 'calendar_move', { title: '家长会', time: '04:00' }],
  ['move the dentist to Friday at 4', 'calendar_move', { title: 'dentist', at: '2026-12-04T16:00' }],
  ['家长会是什么时候', 'calendar_find', { title: '家长会' }],
  ['明天下午三点有会吗', 'calendar_find', { title: '会', at: '2026-12-01T15:00' }],
  ['when is the dentist', 'calendar_find', { title: 'dentist' }],
  ['明天有什么安排', 'calendar_read', { date: '2026-12-01' }],
  ["what's on tomorrow", 'calendar_read', { date: '2026-12-01' }],
  ['set a timer for 90 seconds called eggs', 'set_timer', { duration: 'PT1M30S', label: 'eggs' }],
  ['an egg timer for 4 minutes', 'set_timer', { duration: 'PT4M', label: 'egg' }],
  ['定一个叫鸡蛋的四分钟计时器', 'set_timer', { duration: 'PT4M', label: '鸡蛋' }],
  ['记一下：明天带伞', 'take_note', { text: '明天带伞' }],
  ['记一下明天带伞', 'take_note', { text: '明天带伞' }],
  ['把milk加到购物清单', 'list_add', { item: 'milk', list: '购物' }],
  ['cancel the alarm for tomorrow', 'cancel_alarm', { date: '2026-12-01' }],
  ['取消鸡蛋计时器', 'cancel_timer', { label: '鸡蛋' }],
])('%s → %s %o', async (say, tool, args) => {
  const offered = [...bornTools, ...(await builtinTools())]
  expect(misunderstood([{ say, tool, arguments: args }], offered)).toEqual([])
})

test('while something rings, a bare word ends it, and the other tools mean what they meant', async () => {
  const now = Date.now()
  const ringing: Alarm = {
    id: 'a',
    kind: 'alarm',
    deviceId: 'board',
    label: '',
    dueAt: now,
    wall: null,
    state: 'ringing',
    action: null,
    language: 'en',
    createdAt: now,
    rungAt: now,
    snoozes: 0,
  }
  const offered = [...bornTools, ...(await builtinTools(ringing))]
  expect(offered.map(({ name }) => name)).toContain('hush')
  expect(misunderstood(rows, offered)).toEqual([])
})

test('sums and units are answered in the words of the language', async () => {
  const { provider, offered } = await openTools()
  async function answer(say: string): Promise<string> {
    const language = detectLanguage(say)
    const match = matchSaid({ text: say, language, now }, [...bornTools, ...offered])
    if (!match || !('tool' in match)) return 'nothing is called'
    const call = { deviceId: 'board', tool: match.tool, arguments: match.arguments, timeoutMs: 10_000, turnId: null }
    const result = await provider.call({ ...call, signal: new AbortController().signal })
    const sentence = match.tool.speech.reply['ok']?.[language] ?? ''
    return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(result[name]))
  }
  const wanted = [
    ['what is 12 times 3', 'That is 36.'],
    ['how much is 15 percent of 80', 'That is 12.'],
    ['三乘五等于多少', '等于15。'],
    ['一百除以八是多少', '等于12.5。'],
    ['5 km in miles', 'That is 3.10686 miles.'],
    ['convert 100 degrees fahrenheit to celsius', 'That is 37.7778 degrees celsius.'],
    ['摄氏二十度是多少华氏度', '等于68华氏度。'],
    ['二十摄氏度是多少华氏度', '等于68华氏度。'],
    ['三斤是多少公斤', '等于1.5公斤。'],
  ] as const
  const answers = await Promise.all(wanted.map(async ([say]) => [say, await answer(say)]))
  expect(answers).toEqual(wanted)
})

test('chat calls no built-in tool, but for the lines that are commands now', async () => {
  const offered = [...bornTools, ...(await builtinTools())]
  const called = chat.filter((text) => {
    const match = matchSaid({ text, language: detectLanguage(text), now }, offered)
    return match !== null && 'tool' in match
  })
  expect(called).toEqual(['set a timer for ten minutes', 'play some music', '给我唱首歌', '明天早上七点叫我起床'])
})

test('the sentences of the born tools mean the same beside the built-in ones', async () => {
  const offered = [...bornTools, ...(await builtinTools())]
  const corpus = [...(read('intent-corpus.json') as Row[]), ...(read('intent-held-out.json') as Row[])]
  const meaning = (text: string, tools: readonly (typeof offered)[number][]) => {
    const match = matchSaid({ text, language: detectLanguage(text), now }, tools)
    return match && 'tool' in match ? [match.tool.name, { ...match.arguments }] : match
  }
  expect(
    corpus
      .filter(({ say }) => !isDeepStrictEqual(meaning(say, offered), meaning(say, bornTools)))
      .map(({ say }) => say),
  ).toEqual([])
})

test('the spoken commands are heard as well beside the built-in tools, and some of theirs are heard too', async (context) => {
  if (findSphinxFiles() === undefined) context.skip('PocketSphinx with its English model is not installed here')
  const offered = [...bornTools, ...(await builtinTools())]
  const hearing = await createPocketSphinx({ launcher: createForkLauncher(), log: silentLog, size: 1 })
  onTestFinished(() => hearing.close())
  const flite = loadFlite()
  async function heard(text: string) {
    const pcm = flite.synthesise(text)
    const padded = new Int16Array(pcm.length + 9600)
    padded.set(pcm, 4800)
    const stream = await hearing.open({ vocabulary: offered, language: 'en', onPartial: () => undefined })
    for (let at = 0; at < padded.length; at += 960) stream.push(padded.subarray(at, at + 960))
    const match = matchSaid({ text: (await stream.finish()).text, language: 'en', now }, offered)
    return match && 'tool' in match ? { tool: match.tool.name, arguments: { ...match.arguments } } : match
  }
  const commands = read('spoken-commands.json') as Row[]
  const own: Row[] = [
    { say: 'set a timer for five minutes', tool: 'set_timer', arguments: { duration: 'PT5M' } },
    { say: 'set an alarm for seven thirty', tool: 'set_alarm', arguments: { at: '2026-11-30T19:30' } },
    { say: 'cancel the timer', tool: 'cancel_timer', arguments: {} },
    { say: 'play music', tool: 'play_music', arguments: {} },
  ]
  const wrong: unknown[] = []
  for (const { say, tool, arguments: args } of [...commands, ...own]) {
    const call = await heard(say)
    if (!isDeepStrictEqual(call, { tool, arguments: args })) wrong.push({ say, call })
  }
  expect(wrong).toEqual([])
})
