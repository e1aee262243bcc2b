import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../../test/support/manual-clock.ts'
import { silentLog } from '../../../base/log.ts'
import type { Alarm } from '../../../contract/helper-tools.ts'
import { type NewAlarm, openAlarmBook } from './alarm-book.ts'
import { instantOf, nextAt, wallParts } from './wall-time.ts'

const minute = 60_000
const hour = 60 * minute
const berlin = 'Europe/Berlin'

/** A house whose clock, zone and boards the test moves; `restart` opens a second book over what was kept. */
async function openHouse(start = '2026-03-27T12:00', zone = berlin) {
  const kept = new Map<string, Alarm>()
  const said: string[] = []
  const calls: unknown[] = []
  const clock = createManualClock(0)
  const house = { wallAhead: instantOf(start, zone), zone, present: true, outcome: 'ok' as 'ok' | 'failed' }
  const ports = {
    wall: () => clock.now() + house.wallAhead,
    zone: () => house.zone,
    isPresent: () => house.present,
    announce: (_id: string, text: string) =>
      house.present && said.push(text) > 0 ? ('told' as const) : ('offline' as const),
    callTool: async (request: { name: string; deviceId: string }) => {
      calls.push(request)
      return { ref: request.name, arguments: {}, outcome: house.outcome, startedAt: 0, endedAt: 0 }
    },
  }
  const store = {
    alarms: async () => [...kept.values()].filter(({ state }) => !['done', 'cancelled'].includes(state)),
    putAlarm: async (alarm: Alarm) => void kept.set(alarm.id, alarm),
    pruneAlarms: async () => undefined,
  }
  const open = async () => {
    const book = await openAlarmBook({ store, clock, ports, log: silentLog })
    onTestFinished(() => book.close())
    return book
  }
  return { house, said, calls, clock, ports, open, now: () => ports.wall() }
}

const alarm = (change: Partial<NewAlarm> & { dueAt: number }): NewAlarm => ({
  kind: 'alarm',
  deviceId: 'bed',
  label: '',
  wall: null,
  action: null,
  language: 'en',
  ...change,
})

test('a timer rings three times and is over', async () => {
  const { said, clock, open, now } = await openHouse()
  const book = await open()
  await book.add(alarm({ kind: 'timer', label: 'pasta', dueAt: now() + 5 * minute }))
  await clock.advance(5 * minute - 1_000)
  expect(said).toEqual([])
  await clock.advance(2 * minute)
  expect(said).toEqual(Array(3).fill('Time is up: pasta.'))
  expect(book.list()).toEqual([])
})

test('a daily alarm stays at seven when the clocks go forward and back', async () => {
  const { said, clock, open, house, now } = await openHouse()
  const book = await open()
  const wall = { time: '07:00', zone: berlin, on: [1, 2, 3, 4, 5, 6, 7] }
  const days = async (from: string, count: number) => {
    house.wallAhead = instantOf(from, berlin) - clock.now()
    const set = await book.add(alarm({ dueAt: nextAt('07:00', wall.on, { after: now(), zone: berlin }), wall }))
    const rung: string[] = []
    for (let day = 0; day < count; day++) {
      const due = book.list().find(({ id }) => id === set.id)?.dueAt ?? 0
      rung.push(`${wallParts(due, berlin).date} ${wallParts(due, berlin).time}`)
      await clock.advance(due - now() + 2 * minute)
    }
    await book.cancel(set.id)
    return rung
  }
  expect(await days('2026-03-28T06:00', 3)).toEqual(['2026-03-28 07:00', '2026-03-29 07:00', '2026-03-30 07:00'])
  expect(await days('2026-10-24T06:00', 3)).toEqual(['2026-10-24 07:00', '2026-10-25 07:00', '2026-10-26 07:00'])
  expect(new Set(said)).toEqual(new Set(['Alarm. It is 7:00 AM.']))
})

test('a time that the clocks jump over is an hour later, one that comes twice the first', () => {
  expect(wallParts(instantOf('2026-03-29T02:30', berlin), berlin).time).toBe('03:30')
  expect(new Date(instantOf('2026-10-25T02:30', berlin)).toISOString()).toBe('2026-10-25T00:30:00.000Z')
})

test('seven stays seven for a computer that travels to another zone', async () => {
  const { house, said, clock, open, now } = await openHouse('2026-06-01T22:00')
  const book = await open()
  await book.add(alarm({ dueAt: instantOf('2026-06-02T07:00', berlin), wall: { time: '07:00', zone: berlin, on: [] } }))
  house.zone = 'Asia/Shanghai'
  await clock.advance(1_000)
  const [moved] = book.list()
  expect(wallParts(moved?.dueAt ?? 0, 'Asia/Shanghai')).toMatchObject({ date: '2026-06-02', time: '07:00' })
  await clock.advance((moved?.dueAt ?? 0) - now() + 1_000)
  expect(said).toEqual(['Alarm. It is 7:00 AM.'])
})

test('what was due while nothing ran is told as missed, and a repeated one goes on', async () => {
  const { house, said, clock, open, now } = await openHouse('2026-06-01T06:00')
  const first = await open()
  const wall = { time: '07:00', zone: berlin, on: [1, 2, 3, 4, 5] }
  await first.add(alarm({ dueAt: instantOf('2026-06-01T07:00', berlin), wall }))
  await first.add(alarm({ kind: 'reminder', label: 'bins', dueAt: now() + 30 * minute, language: 'zh' }))
  first.close()
  house.wallAhead += 3 * hour
  house.present = false
  const second = await open()
  await clock.advance(5_000)
  expect(said).toEqual([])
  house.present = true
  await clock.advance(1_000)
  expect(said.sort()).toEqual(['You missed an alarm today at 7:00 AM.', '错过了今天早上6点半的提醒：bins。'])
  expect(second.list()).toMatchObject([{ state: 'waiting', dueAt: instantOf('2026-06-02T07:00', berlin) }])
})

test('an alarm waits some minutes for its board, and rings late', async () => {
  const { house, said, clock, open, now } = await openHouse()
  const book = await open()
  house.present = false
  await book.add(alarm({ kind: 'reminder', label: 'tea', dueAt: now() + minute }))
  await clock.advance(4 * minute)
  house.present = true
  await clock.advance(1_000)
  expect(said).toEqual(['Reminder for 12:01 PM: tea.'])
})

test('a timer counts on when the clock is set back', async () => {
  const { house, said, clock, open, now } = await openHouse()
  const book = await open()
  await book.add(alarm({ kind: 'timer', dueAt: now() + 2 * minute }))
  house.wallAhead -= hour
  await clock.advance(2 * minute + 1_000)
  expect(said).toEqual(['Time is up.'])
})

test('snoozing lets it ring again, dismissing ends it', async () => {
  const { said, clock, open, now } = await openHouse()
  const book = await open()
  const { id } = await book.add(alarm({ dueAt: now() + minute }))
  await clock.advance(minute + 1_000)
  await book.snooze(id, 9)
  await clock.advance(8 * minute)
  expect(said).toHaveLength(1)
  await clock.advance(minute)
  expect(said).toHaveLength(2)
  await book.dismiss(id)
  await clock.advance(hour)
  expect(said).toHaveLength(2)
})

test('a planned call runs once, says when it failed, and never an hour late', async () => {
  const { house, said, calls, clock, open, now } = await openHouse()
  const book = await open()
  const action = { tool: 'set_lamp', arguments: { on: false } }
  await book.add(alarm({ kind: 'action', action, dueAt: now() + minute }))
  await clock.advance(2 * minute)
  expect(calls).toMatchObject([
    { deviceId: 'bed', name: 'set_lamp', arguments: { on: false }, caller: { kind: 'clock' } },
  ])
  house.outcome = 'failed'
  await book.add(alarm({ kind: 'action', action, label: 'lamp', dueAt: now() + minute }))
  await clock.advance(2 * minute)
  expect(said).toEqual(['A planned action did not work: lamp.'])
  await book.add(alarm({ kind: 'action', action, dueAt: now() + minute }))
  house.wallAhead += hour
  await clock.advance(2_000)
  expect(calls).toHaveLength(2)
  expect(said.at(-1)).toMatch(/^You missed a planned action/)
})

test('the past, too many and the unknown are refused', async () => {
  const { open, now } = await openHouse()
  const book = await open()
  await expect(book.add(alarm({ dueAt: now() - 1 }))).rejects.toMatchObject({ code: 'helper-in-the-past' })
  await expect(book.cancel('none')).rejects.toMatchObject({ code: 'helper-not-found' })
  for (let n = 0; n < 200; n++) await book.add(alarm({ dueAt: now() + hour + n }))
  await expect(book.add(alarm({ dueAt: now() + hour }))).rejects.toMatchObject({ code: 'helper-too-many' })
})
