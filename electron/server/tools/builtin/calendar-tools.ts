import { randomUUID } from 'node:crypto'
import type { CalendarEvent } from '../../../contract/helper-tools.ts'
import { asTold, type BuiltinPorts, type BuiltinTool, describe, number, text } from './builtin-tool.ts'
import type { CalendarBook } from './calendar-book.ts'
import { sayDate, sayList, sayMoment, sayTime, type Spoken, told } from './spoken-forms.ts'
import { dayStart, instantOf } from './wall-time.ts'

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

/** The next event whose title has the words; of a repeated one its next occurrence. */
function next(book: CalendarBook, words: string, { wall }: Times): CalendarEvent | undefined {
  const wanted = words.toLowerCase()
  return book.between(wall(), wall() + aheadMs).find((event) => event.title.toLowerCase().includes(wanted))
}

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
      en: [
        'add {title} to calendar [on | at | for] {at}',
        'put {title} (in | on | into) calendar [on | at | for] {at}',
        '(schedule | plan) {title} [on | at | for] {at}',
        '(new | add | create | make) (event | appointment | meeting) {title} [on | at | for] {at}',
        '(add | create | make) (event | appointment) [on | at | for] {at} (called | named) {title}',
        'i have {title} [on | at] {at}',
      ],
      zh: [
        '(添加 | 加 | 新建 | 安排 | 加个 | 安排个) [一个] (日程 | 日历 | 行程) {at} {title}',
        '{at} (有 | 安排 | 要去 | 要) {title} (加到日历 | 加入日程 | 记到日历 | 写进日历)',
        '(把 | 将) {at} [的] {title} (加到 | 加入 | 写进 | 记到 | 添加到) (日历 | 日程 | 行程) [里]',
        '(安排 | 预定) {at} [的] {title}',
        '(日历 | 日程) (加 | 添加 | 加上 | 记) {at} {title}',
      ],
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

function readDay(book: CalendarBook, { wall, zone }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'calendar_read',
      description: 'What the calendar holds on a day (today when none is said).',
      danger: 'read',
      takes: { date: { type: 'string', format: 'date', description: 'YYYY-MM-DD' } },
      gives: { events: { type: 'array', items: { type: 'object' } } },
      reply: asTold,
      en: [
        'what is (on | in) calendar [for] [{date}]',
        'what (is planned | is happening | do i have planned) [for] [{date}]',
        '(read | show | check | tell me) calendar [for] [{date}]',
        'what (are my | are) (plans | appointments | events) [for] [{date}]',
        'what do i have (on | planned | to do) {date}',
        'do i have [any] (appointments | events | meetings) [on | for] [{date}]',
      ],
      zh: [
        '[{date}] [我] (有什么 | 有哪些 | 有啥) (安排 | 日程 | 行程 | 活动)',
        '(查看 | 看看 | 查 | 念 | 读) [一查] [{date}] [的] (日程 | 日历 | 行程 | 安排)',
        '[{date}] [的] (日程 | 行程 | 安排) [是什么 | 有什么 | 有哪些]',
        '{date} [我] 要 (做什么 | 干什么 | 干嘛)',
        '[{date}] 有没有 (日程 | 安排 | 会 | 会议 | 行程)',
      ],
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
      takes: { title },
      required: ['title'],
      gives: { start: { type: ['number', 'null'] } },
      reply: asTold,
      en: [
        'when is [next] {title} (in calendar | planned | scheduled)',
        '(find | look up | search) {title} in calendar',
        'search calendar for {title}',
        'when (do i have | is my) {title} (appointment | event | meeting)',
        'is {title} in calendar',
      ],
      zh: [
        '(日历 | 日程) [里 | 上] [的] {title} (是什么时候 | 什么时候 | 在几点 | 是几点)',
        '(查找 | 找 | 查 | 搜索) (日历 | 日程) [里 | 上] [的] {title}',
        '{title} 的 (日程 | 安排 | 行程) (是什么时候 | 什么时候 | 在哪天)',
        '(找 | 查找 | 查) {title} 的 (日程 | 安排 | 行程)',
        '{title} 安排在 (什么时候 | 哪天 | 几点)',
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

function moveEvent(book: CalendarBook, times: Times): BuiltinTool {
  return {
    ...describe({
      name: 'calendar_move',
      description: 'Moves the next event with these words in its title.',
      takes: { title, at: moment },
      required: ['title', 'at'],
      gives: { moved: { type: 'boolean' } },
      reply: asTold,
      en: [
        '(move | reschedule | postpone) {title} to {at}',
        'change [time of] {title} to {at}',
        '(move | shift | push) {title} (event | appointment | meeting) to {at}',
        '{title} is now [on | at] {at}',
        '(move | change) event {title} to {at}',
      ],
      zh: [
        '(把 | 将) {title} (改到 | 移到 | 推迟到 | 提前到 | 挪到 | 改成 | 延到) {at}',
        '{title} (改到 | 移到 | 推迟到 | 提前到 | 挪到 | 延到) {at}',
        '(把 | 将) {title} 的 (日程 | 时间 | 安排) (改到 | 改成 | 移到) {at}',
        '(改 | 更改 | 修改) {title} 的时间 (到 | 为 | 成) {at}',
        '(推迟 | 提前) {title} 到 {at}',
      ],
    }),
    async run(args) {
      const found = next(book, text(args, 'title') ?? '', times)
      const kept = found && book.all().find(({ id }) => id === found.id)
      if (!kept) return { moved: false, ...told(none) }
      const start = instantOf(text(args, 'at') ?? '', times.zone())
      await book.put([{ ...kept, start, end: kept.end === null ? null : start + (kept.end - kept.start) }])
      const when = sayMoment(start, { now: times.wall(), zone: times.zone() })
      return { moved: true, ...told({ en: `${kept.title} is ${when.en} now.`, zh: `${kept.title}改到${when.zh}。` }) }
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
      danger: 'physical',
      gives: { deleted: { type: 'boolean' } },
      reply: asTold,
      en: [
        '(delete | remove) {title} from calendar',
        '(cancel | delete | remove) [event | appointment | meeting] {title} (event | appointment | meeting)',
        '(cancel | delete | remove) (event | appointment | meeting) {title}',
        'take {title} (off | out of) calendar',
        'cancel {title} in calendar',
      ],
      zh: [
        '(取消 | 删除 | 删掉) {title} [的] (日程 | 安排 | 行程 | 会议)',
        '(把 | 将) {title} 从 (日历 | 日程) [里 | 上 | 中] (删掉 | 删除 | 去掉 | 取消)',
        '从 (日历 | 日程) [里 | 上 | 中] (删掉 | 删除 | 去掉) {title}',
        '(删除 | 删掉 | 取消) (日程 | 行程) {title}',
        '(把 | 将) {title} [的] (日程 | 安排 | 行程) (取消 | 删掉 | 删除)',
      ],
    }),
    async run(args) {
      const found = next(book, text(args, 'title') ?? '', times)
      if (!found) return { deleted: false, ...told(none) }
      await book.remove(found.id)
      return { deleted: true, ...told({ en: `${found.title} is deleted.`, zh: `${found.title}已删除。` }) }
    },
  }
}
