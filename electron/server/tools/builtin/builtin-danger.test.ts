import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { silentLog } from '../../../base/log.ts'
import type { DangerClass } from '../../../contract/tool.ts'
import { openStore } from '../../store/open-store.ts'
import { openBuiltin } from './open-builtin.ts'

/** Class by what is left behind (contract/tool.ts): nothing; what a word undoes; something moves; data or trust is lost. */
const meant: readonly (readonly [string, DangerClass, string])[] = [
  ['get_time', 'read', 'says what is'],
  ['get_date', 'read', 'says what is'],
  ['timer_left', 'read', 'says what is'],
  ['list_alarms', 'read', 'says what is'],
  ['list_reminders', 'read', 'says what is'],
  ['calendar_read', 'read', 'says what is'],
  ['calendar_find', 'read', 'says what is'],
  ['list_read', 'read', 'says what is'],
  ['read_notes', 'read', 'says what is'],
  ['calculate', 'read', 'works something out'],
  ['convert_unit', 'read', 'works something out'],
  ['lunar_date', 'read', 'works something out'],
  ['solar_term', 'read', 'works something out'],
  ['eight_characters', 'read', 'works something out'],
  ['roll_dice', 'read', 'keeps nothing'],
  ['flip_coin', 'read', 'keeps nothing'],
  ['random_pupil', 'read', 'keeps nothing'],
  ['what_is_playing', 'read', 'says what is'],
  ['song_lyric', 'read', 'says what is'],
  ['set_timer', 'harmless', 'cancelled by a word'],
  ['cancel_timer', 'harmless', 'a timer is set again by a word; nothing that people wrote is lost'],
  ['set_alarm', 'harmless', 'cancelled by a word'],
  ['cancel_alarm', 'harmless', 'an alarm is set again by a word'],
  ['snooze_alarm', 'harmless', 'rings again'],
  ['stop_alarm', 'harmless', 'what has rung has done its work'],
  ['hush', 'harmless', 'ends a sound'],
  ['set_reminder', 'harmless', 'one more entry'],
  ['calendar_add', 'harmless', 'one more entry'],
  ['calendar_move', 'harmless', 'moved back by a word: the answer tells from when'],
  ['list_add', 'harmless', 'one more entry'],
  ['list_tick', 'harmless', 'the item stays in the list, as done'],
  ['take_note', 'harmless', 'one more entry'],
  ['announce', 'harmless', 'words that are over in a moment'],
  ['board_volume', 'harmless', 'set back by a word'],
  ['board_brightness', 'harmless', 'set back by a word'],
  ['identify_board', 'harmless', 'blinks for a moment'],
  ['play_music', 'harmless', 'stopped by a word'],
  ['pause_music', 'harmless', 'resumed by a word'],
  ['resume_music', 'harmless', 'paused by a word'],
  ['next_track', 'harmless', 'another track'],
  ['stop_music', 'harmless', 'played again by a word'],
  ['run_later', 'physical', 'may be any tool that moves something; a destructive one waits for its own yes'],
  ['calendar_delete', 'destructive', 'what people wrote is lost, with all its repetitions'],
  ['list_clear', 'destructive', 'which items were open is lost'],
  ['computer_volume', 'destructive', 'reaches out of the house into a computer'],
  ['computer_open_app', 'destructive', 'reaches out of the house into a computer'],
  ['computer_screenshot', 'destructive', 'may show what is private'],
]

async function openTools() {
  const dir = await mkdtemp(join(tmpdir(), 'roost-danger-'))
  const store = await openStore({ dir, log: silentLog })
  const dangers = new Map<string, DangerClass>()
  const builtin = await openBuiltin({
    store,
    clock: systemClock,
    log: silentLog,
    picturesDir: dir,
    registry: {
      adopt: async (content, { name }) => {
        dangers.set(name, content.danger)
        return { ...content, name, version: 1, status: 'published', createdAt: 0, origin: 'builtin' }
      },
      published: () => undefined,
      startOff: async () => undefined,
    },
    ports: {
      wall: () => Date.UTC(2026, 10, 30, 15),
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
  const offers = await builtin.provider.offers('board')
  async function run(name: string, args: Record<string, unknown>) {
    const tool = offers.find((offer) => offer.name === name)?.tool ?? expect.fail(name)
    const signal = new AbortController().signal
    return builtin.provider.call({ deviceId: 'board', tool, arguments: args, timeoutMs: 5_000, turnId: null, signal })
  }
  return { dangers, run }
}

test('each built-in tool has the danger class of what it leaves behind', async () => {
  const { dangers } = await openTools()
  expect(Object.fromEntries(dangers)).toEqual(Object.fromEntries(meant.map(([name, danger]) => [name, danger])))
})

test.each([
  ['calendar_delete', { title: 'dentist' }, 'helper-no-event'],
  ['calendar_move', { title: 'dentist', time: '16:00' }, 'helper-no-event'],
  ['cancel_timer', {}, 'helper-no-timer'],
  ['cancel_alarm', {}, 'helper-no-alarm'],
  ['snooze_alarm', {}, 'helper-nothing-rings'],
  ['stop_alarm', {}, 'helper-nothing-rings'],
  ['list_tick', { item: 'milk', list: 'shopping' }, 'helper-no-list'],
  ['list_clear', { list: 'shopping' }, 'helper-no-list'],
] as const)('%s that finds nothing fails with %s', async (name, args, code) => {
  const { run } = await openTools()
  await expect(run(name, args)).rejects.toMatchObject({ code })
})

test('an item that is not on the list cannot be ticked off', async () => {
  const { run } = await openTools()
  await run('list_add', { item: 'milk', list: 'shopping' })
  await expect(run('list_tick', { item: 'bread', list: 'shopping' })).rejects.toMatchObject({ code: 'helper-no-item' })
})

test('a list has one name in each language and is the same list', async () => {
  const { run } = await openTools()
  await run('list_add', { item: 'milk', list: 'shopping' })
  expect(await run('list_add', { item: '牛奶', list: '购物' })).toMatchObject({ count: 2 })
  expect(await run('list_read', { list: 'shopping list' })).toMatchObject({
    items: ['milk', '牛奶'],
    spoken_en: 'On shopping: milk and 牛奶.',
    spoken_zh: '购物清单有：milk、牛奶。',
  })
  await run('take_note', { text: 'bring an umbrella' })
  expect(await run('list_add', { item: '带伞', list: '笔记' })).toMatchObject({ count: 2 })
  await run('list_add', { item: 'marking', list: 'to-do' })
  expect(await run('list_read', { list: '待办' })).toMatchObject({ items: ['marking'] })
})

test('an event moved "to four" stays on its day, in the afternoon, and the answer tells from when', async () => {
  const { run } = await openTools()
  await run('calendar_add', { title: '家长会', at: '2026-12-01T15:00' })
  expect(await run('calendar_move', { title: '家长会', time: '04:00' })).toMatchObject({
    spoken_zh: '家长会从明天下午3点改到明天下午4点。',
  })
  expect(await run('calendar_find', { title: '家长会' })).toMatchObject({ start: Date.UTC(2026, 11, 1, 16) })
})
