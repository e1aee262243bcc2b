import { randomUUID } from 'node:crypto'
import { AppError } from '../../../base/app-error.ts'
import type { CalendarEvent } from '../../../contract/helper-tools.ts'
import { asTold, type BuiltinPorts, type BuiltinTool, describe, number, text } from './builtin-tool.ts'
import type { CalendarBook } from './calendar-book.ts'
import { sayDate, sayList, sayMoment, sayTime, type Spoken, told } from './spoken-forms.ts'
import { dayStart, instantOf, wallParts } from './wall-time.ts'

type Times = Pick<BuiltinPorts, 'wall' | 'zone'>

const title = { type: 'string', minLength: 1, maxLength: 100 }
const moment = { type: 'string', format: 'date-time', description: 'Local wall time without zone' }
const aheadMs = 366 * 86_400_000

export function calendarTools(book: CalendarBook, times: Times): BuiltinTool[] {
  return [
    addEvent(book, times),
    readDay(book, times),
    findEvent(book, times),
    moveEvent(book, times),
    deleteEvent(book, times),
  ]
}

const none: Spoken = { en: 'There is no such event.', zh: '没有这样的日程。' }
const noEvent = (words: string) => new AppError('helper-no-event', `No coming event has "${words}" in its title`)

/** The next event whose title has the words; of a repeated one its next occurrence. */
function next(book: CalendarBook, words: string, { wall }: Times): CalendarEvent | undefined {
  const wanted = words.toLowerCase()
  return book.between(wall(), wall() + aheadMs).find((event) => event.title.toLowerCase().includes(wanted))
}

const addEventSaid = {
  en: [
    'add {title} to calendar [on | at | for] {at}',
    'put {title} (in | on | into) calendar [on | at | for] {at}',
    '(schedule | plan) {title} [on | at | for] {at}',
    '(new | add | create | make) (event | appointment | meeting) {title} [on | at | for] {at}',
    '(add | create | make) (event | appointment) [on | at | for] {at} (called | named) {title}',
    'i have {title} [on | at] {at}',
    '(i | we) have {title} [on | at] {at}',
    'there is {title} [on | at] {at}',
    'add {title} [on | at | for] {at} to calendar',
    'put {title} [on | at | for] {at} (in | on | into) calendar',
    '(add | note | put | write) (to | in | into | on) calendar {title} [on | at | for] {at}',
    '(add | make | create | book) {title} (appointment | event | meeting) [on | at | for] {at}',
  ],
  zh: [
    '(添加 | 加 | 新建 | 安排 | 加个 | 安排个) [一个] (日程 | 日历 | 行程) {at} {title}',
    '{at} (有 | 安排 | 要去 | 要) {title} (加到日历 | 加入日程 | 记到日历 | 写进日历)',
    '(把 | 将) {at} [的] {title} (加到 | 加入 | 写进 | 记到 | 添加到) (日历 | 日程 | 行程) [里]',
    '(安排 | 预定) {at} [的] {title}',
    '(日历 | 日程) (加 | 添加 | 加上 | 记) {at} {title}',
    '{at} [我 | 我们] (有 | 要 | 要去 | 去) [个 | 一个] {title}',
    '[在] (日历 | 日程 | 行程) [里 | 上 | 中] (加 | 加上 | 添加 | 记 | 记下 | 写 | 写上 | 加入) [个 | 一个 | 一下] {at} [的] {title}',
    '(记 | 记下 | 记住 | 加 | 添加 | 安排) [个 | 一个] {at} [的] {title}',
    '(把 | 将) {title} (加到 | 加入 | 写进 | 记到 | 添加到 | 放到) (日历 | 日程 | 行程) [里 | 上] {at}',
  ],
} as const

function addEvent(book: CalendarBook, { wall, zone }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'calendar_add',
      description: 'Adds an event to the calendar; remind_minutes before it this board tells it.',
      takes: {
        title,
        at: moment,
        category: { type: 'string', maxLength: 40 },
        remind_minutes: { type: 'integer', minimum: 0, maximum: 40_320, default: 10 },
        repeat: { type: 'string', maxLength: 200, description: 'RRULE without the name, e.g. FREQ=WEEKLY' },
      },
      required: ['title', 'at'],
      gives: { id: { type: 'string' } },
      reply: { en: 'Okay, {title} is in the calendar {spoken_en}.', zh: '好的，{spoken_zh}的{title}已加入日程。' },
      ...addEventSaid,
    }),
    async run(args, { deviceId }) {
      const start = instantOf(text(args, 'at') ?? '', zone())
      const event: CalendarEvent = {
        id: randomUUID(),
        title: text(args, 'title') ?? '–',
        start,
        end: null,
        allDay: false,
        zone: zone(),
        category: text(args, 'category') ?? '',
        note: '',
        repeat: text(args, 'repeat') ?? '',
        remindMinutes: number(args, 'remind_minutes') ?? 10,
        deviceId,
      }
      await book.put([event])
      return { id: event.id, ...told(sayMoment(start, { now: wall(), zone: zone() })) }
    },
  }
}

const readDaySaid = {
  en: [
    'what is (on | in) calendar [for] [{date}]',
    'what (is planned | is happening | do i have planned) [for] [{date}]',
    '(read | show | check | tell me) calendar [for] [{date}]',
    'what (are my | are) (plans | appointments | events) [for] [{date}]',
    'what do i have (on | planned | to do) {date}',
    'do i have [any] (appointments | events | meetings) [on | for] [{date}]',
    'what is on {date}',
    'what do we have [on | planned] [for] {date}',
    '(is there | do we have | have i | have we) [got] (anything | something) [on | planned] {date}',
    'what (have i | have we) got [on | planned] {date}',
    'what is (happening | going on) {date}',
  ],
  zh: [
    '[{date}] [我] (有什么 | 有哪些 | 有啥) (安排 | 日程 | 行程 | 活动)',
    '(查看 | 看看 | 查 | 念 | 读) [一查] [{date}] [的] (日程 | 日历 | 行程 | 安排)',
    '[{date}] [的] (日程 | 行程 | 安排) [是什么 | 有什么 | 有哪些]',
    '{date} [我] 要 (做什么 | 干什么 | 干嘛)',
    '[{date}] 有没有 (日程 | 安排 | 会 | 会议 | 行程)',
    '{date} [我 | 我们] 有 (什么 | 啥 | 哪些) (事 | 事情 | 活动 | 会 | 课)',
    '{date} [我 | 我们] (有事 | 有安排 | 有活动 | 忙 | 有空) 吗',
    '{date} [我 | 我们] 都有 (什么 | 哪些) [事 | 安排 | 日程 | 活动]',
  ],
} as const

function readDay(book: CalendarBook, { wall, zone }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'calendar_read',
      description: 'What the calendar holds on a day (today when none is said).',
      danger: 'read',
      takes: { date: { type: 'string', format: 'date', description: 'YYYY-MM-DD' } },
      gives: { events: { type: 'array', items: { type: 'object' } } },
      reply: asTold,
      ...readDaySaid,
    }),
    async run(args) {
      const date = text(args, 'date')
      const from = date === undefined ? dayStart(wall(), zone()) : dayStart(instantOf(`${date}T12:00`, zone()), zone())
      const found = book.between(from, dayStart(from + 3_600_000, zone(), 1) - 1).filter(({ start }) => start >= from)
      const events = found.map((event) => ({ id: event.id, title: event.title, start: event.start }))
      const day = sayDate(from, zone())
      if (found.length === 0)
        return { events, ...told({ en: `Nothing is planned on ${day.en}.`, zh: `${day.zh}没有安排。` }) }
      const words = found.map((event) => {
        const time = sayTime(event.start, zone())
        return event.allDay
          ? { en: event.title, zh: event.title }
          : { en: `${event.title} at ${time.en}`, zh: `${time.zh}${event.title}` }
      })
      return {
        events,
        ...told({
          en: `${
            sayList(
              words.map(({ en }) => en),
              5,
            ).en
          }.`,
          zh: `${
            sayList(
              words.map(({ zh }) => zh),
              5,
            ).zh
          }。`,
        }),
      }
    },
  }
}

function findEvent(book: CalendarBook, times: Times): BuiltinTool {
  return {
    ...describe({
      name: 'calendar_find',
      description: 'When the next event with these words in its title is.',
      danger: 'read',
      takes: { title, at: moment },
      required: ['title'],
      gives: { start: { type: ['number', 'null'] } },
      reply: asTold,
      en: [
        'when is [next] {title} (in calendar | planned | scheduled)',
        '(find | look up | search) {title} in calendar',
        'search calendar for {title}',
        'when (do i have | is my) {title} (appointment | event | meeting)',
        'is {title} in calendar',
        'when (is | are) [next] {title}',
        "when's {title}",
        'what time (is | are) {title}',
        '(what | which) day is {title}',
        'when do (we | i) have {title}',
        '(do i | do we | is there) [have] {title} [on | at] {at}',
      ],
      zh: [
        '(日历 | 日程) [里 | 上] [的] {title} (是什么时候 | 什么时候 | 在几点 | 是几点)',
        '(查找 | 找 | 查 | 搜索) (日历 | 日程) [里 | 上] [的] {title}',
        '{title} 的 (日程 | 安排 | 行程) (是什么时候 | 什么时候 | 在哪天)',
        '(找 | 查找 | 查) {title} 的 (日程 | 安排 | 行程)',
        '{title} 安排在 (什么时候 | 哪天 | 几点)',
        '{title} [是 | 在] (什么时候 | 几点 | 几号 | 哪天 | 哪一天 | 周几 | 星期几) [开始 | 开 | 的]',
        '(什么时候 | 几点 | 哪天) (开 | 有 | 是 | 去 | 上) {title}',
        '{at} 有 {title} 吗',
      ],
    }),
    async run(args) {
      const found = next(book, text(args, 'title') ?? '', times)
      if (!found) return { start: null, ...told(none) }
      const when = sayMoment(found.start, { now: times.wall(), zone: times.zone() })
      return {
        start: found.start,
        ...told({ en: `${found.title} is ${when.en}.`, zh: `${found.title}在${when.zh}。` }),
      }
    },
  }
}

/** "To four" stays on the day of the event; from one to six it is the afternoon, unless the event begins that early. */
function newStart(args: Readonly<Record<string, unknown>>, start: number, zone: string): number {
  const at = text(args, 'at')
  const time = text(args, 'time')
  if (at !== undefined) return instantOf(at, zone)
  if (time === undefined) throw new AppError('tool-bad-arguments', 'Say `at` or `time`')
  const there = wallParts(start, zone)
  const hour = Number(time.slice(0, 2))
  const said = hour >= 1 && hour <= 6 && there.hour > 6 ? hour + 12 : hour
  return instantOf(`${there.date}T${String(said).padStart(2, '0')}${time.slice(2, 5)}`, zone)
}

function moveEvent(book: CalendarBook, times: Times): BuiltinTool {
  return {
    ...describe({
      name: 'calendar_move',
      description: 'Moves the next event with these words in its title: to `at`, or to a `time` of its day.',
      takes: { title, at: moment, time: { type: 'string', format: 'time', description: 'HH:MM on the same day' } },
      required: ['title'],
      gives: { moved: { type: 'boolean' } },
      reply: asTold,
      en: [
        '(move | reschedule | postpone | change) {title} to {time}',
        '(move | reschedule | postpone) {title} to {at}',
        'change [time of] {title} to {at}',
        '(move | shift | push) {title} (event | appointment | meeting) to {at}',
        '{title} is now [on | at] {at}',
        '(move | change) event {title} to {at}',
        '(put | push) {title} (back | forward) to {at}',
        '(move | change | reschedule) {title} (from | on) calendar to {at}',
      ],
      zh: [
        '[把 | 将] {title} (改到 | 移到 | 推迟到 | 提前到 | 挪到 | 改成 | 延到) {time}',
        '(把 | 将) {title} (改到 | 移到 | 推迟到 | 提前到 | 挪到 | 改成 | 延到) {at}',
        '{title} (改到 | 移到 | 推迟到 | 提前到 | 挪到 | 延到) {at}',
        '(把 | 将) {title} 的 (日程 | 时间 | 安排) (改到 | 改成 | 移到) {at}',
        '(改 | 更改 | 修改) {title} 的时间 (到 | 为 | 成) {at}',
        '(推迟 | 提前) {title} 到 {at}',
        '[把 | 将] {title} (改成 | 改在 | 挪到 | 换到 | 调到) {at}',
      ],
    }),
    async run(args) {
      const found = next(book, text(args, 'title') ?? '', times)
      const kept = found && book.all().find(({ id }) => id === found.id)
      if (!found || !kept) throw noEvent(text(args, 'title') ?? '')
      const start = newStart(args, found.start, times.zone())
      await book.put([{ ...kept, start, end: kept.end === null ? null : start + (kept.end - kept.start) }])
      const at = { now: times.wall(), zone: times.zone() }
      const [from, when] = [sayMoment(found.start, at), sayMoment(start, at)]
      const spoken = {
        en: `${kept.title}, ${from.en}, is ${when.en} now.`,
        zh: `${kept.title}从${from.zh}改到${when.zh}。`,
      }
      return { moved: true, ...told(spoken) }
    },
  }
}

function deleteEvent(book: CalendarBook, times: Times): BuiltinTool {
  return {
    ...describe({
      name: 'calendar_delete',
      description: 'Removes the next event with these words in its title, with all its repetitions.',
      takes: { title },
      required: ['title'],
      danger: 'destructive',
      gives: { deleted: { type: 'boolean' } },
      reply: asTold,
      en: [
        '(delete | remove) {title} from calendar',
        '(cancel | delete | remove) [event | appointment | meeting] {title} (event | appointment | meeting)',
        '(cancel | delete | remove) (event | appointment | meeting) {title}',
        'take {title} (off | out of) calendar',
        'cancel {title} in calendar',
        '(delete | cancel | remove) {title}',
        '(delete | remove | cancel | take) {title} (from | out of | off | in) calendar',
        '{title} is (cancelled | canceled | off)',
      ],
      zh: [
        '(取消 | 删除 | 删掉) {title} [的] (日程 | 安排 | 行程 | 会议)',
        '(把 | 将) {title} 从 (日历 | 日程) [里 | 上 | 中] (删掉 | 删除 | 去掉 | 取消)',
        '从 (日历 | 日程) [里 | 上 | 中] (删掉 | 删除 | 去掉) {title}',
        '(删除 | 删掉 | 取消) (日程 | 行程) {title}',
        '(把 | 将) {title} [的] (日程 | 安排 | 行程) (取消 | 删掉 | 删除)',
        '(删除 | 删掉 | 取消 | 删了) {title}',
        '(把 | 将) {title} (删掉 | 删除 | 取消 | 取消掉 | 删了 | 取消了)',
        '{title} (取消了 | 不开了 | 不去了 | 取消吧)',
        '(把 | 将) {title} 从 (日历 | 日程 | 行程) [里 | 上 | 中] (删掉 | 删除 | 去掉 | 取消)',
      ],
    }),
    async run(args) {
      const found = next(book, text(args, 'title') ?? '', times)
      if (!found) throw noEvent(text(args, 'title') ?? '')
      await book.remove(found.id)
      return { deleted: true, ...told({ en: `${found.title} is deleted.`, zh: `${found.title}已删除。` }) }
    },
  }
}
