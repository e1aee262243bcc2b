import { AppError } from '../../../base/app-error.ts'
import type { Alarm } from '../../../contract/helper-tools.ts'
import type { AlarmBook } from './alarm-book.ts'
import { asTold, type BuiltinPorts, type BuiltinTool, describe, number, text } from './builtin-tool.ts'
import { sayDays, sayDuration, sayList, sayMoment, told } from './spoken-forms.ts'
import { instantOf, nextAt, wallParts } from './wall-time.ts'

type Times = Pick<BuiltinPorts, 'wall' | 'zone'>

const repeats: Readonly<Record<string, readonly number[]>> = {
  daily: [1, 2, 3, 4, 5, 6, 7], weekdays: [1, 2, 3, 4, 5], weekends: [6, 7],
  monday: [1], tuesday: [2], wednesday: [3], thursday: [4], friday: [5], saturday: [6], sunday: [7],
} // prettier-ignore
const zhDays = ['一', '二', '三', '四', '五', '六', '日']
const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

const repeatNames = Object.fromEntries([
  ['daily', { en: ['every day', 'daily', 'every morning', 'every evening', 'each day'], zh: ['每天', '每日', '天天'] }],
  ['weekdays', { en: ['every weekday', 'on weekdays', 'weekdays'], zh: ['工作日', '每个工作日', '平日'] }],
  ['weekends', { en: ['every weekend', 'on weekends', 'at weekend', 'weekends'], zh: ['周末', '每个周末', '每周末'] }],
  ...dayNames.map((day, at) => [
    day,
    {
      en: [`every ${day}`, `on ${day}s`],
      zh: [`每周${zhDays[at] ?? ''}`, `每个周${zhDays[at] ?? ''}`, `每星期${zhDays[at] ?? ''}`],
    },
  ]),
]) as Readonly<Record<string, { en: string[]; zh: string[] }>>

/** Alarms by the clock: once, or on days of the week. */
export function alarmTools(book: AlarmBook, times: Times): BuiltinTool[] {
  return [setAlarm(book, times), listAlarms(book, times), cancelAlarm(book, times), snoozeAlarm(book), stopAlarm(book)]
}

const setAlarmSaid = {
  en: [
    'set [an] alarm (for | at) {at}',
    'wake me [up] at {at}',
    '(set | make | create | add | put | need) [new] alarm (for | at | on | to) {at}',
    'wake me [up] {at}',
    'alarm (for | at) {at}',
    'get me up at {at}',
    '(set | make | create) alarm {repeat} (at | for) {time}',
    '(set | make | create) alarm (for | at) {time} {repeat}',
    'wake me [up] {repeat} at {time}',
    'wake me [up] at {time} {repeat}',
    'set alarm (for | at) {at} (called | named) {label}',
    'wake (us | kids | children | everyone) [up] at {at}',
    '(put | turn) alarm on (for | at) {at}',
    'wake (us | kids | children | everyone) [up] {repeat} at {time}',
  ],
  zh: [
    '(设 | 设置 | 定 | 订 | 加 | 添加 | 来 | 上) [个 | 一个] {at} [的] (闹钟 | 闹铃)',
    '{at} (叫我 | 喊我 | 叫醒我) [起床 | 起来]',
    '{at} [的] (闹钟 | 闹铃)',
    '(闹钟 | 闹铃) (设 | 定 | 调) [在 | 到 | 成] {at}',
    '(设 | 设置 | 定 | 加) [个 | 一个] {repeat} {time} [的] (闹钟 | 闹铃)',
    '{repeat} {time} (叫我 | 喊我 | 叫醒我) [起床 | 起来]',
    '{repeat} {time} [的] (闹钟 | 闹铃)',
    '{at} (叫 | 喊) (我们 | 孩子 | 孩子们 | 大家) [起床 | 起来]',
  ],
} as const

function setAlarm(book: AlarmBook, { wall, zone }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'set_alarm',
      description: 'An alarm on this board: at one moment (`at`), or on days of the week (`time` with `repeat`).',
      takes: {
        at: { type: 'string', format: 'date-time', description: 'Local wall time without zone, e.g. 2026-12-01T07:00' },
        time: { type: 'string', format: 'time', description: 'HH:MM, with repeat' },
        repeat: { type: 'string', enum: Object.keys(repeats) },
        label: { type: 'string', maxLength: 60 },
      },
      gives: { id: { type: 'string' }, due_at: { type: 'number' } },
      values: { repeat: repeatNames },
      reply: { en: 'Okay, the alarm is set {spoken_en}.', zh: '好的，{spoken_zh}的闹钟设好了。' },
      ...setAlarmSaid,
    }),
    async run(args, call) {
      const on = repeats[text(args, 'repeat') ?? ''] ?? []
      const at = text(args, 'at')
      const time = text(args, 'time') ?? (at === undefined ? undefined : at.slice(11, 16))
      if (time === undefined || !/^\d{2}:\d{2}$/.test(time)) {
        throw new AppError('tool-bad-arguments', 'Say `at`, or `time` with `repeat`')
      }
      const where = { after: wall(), zone: zone() }
      const dueAt = on.length === 0 && at !== undefined ? instantOf(at, where.zone) : nextAt(time, on, where)
      const alarm = await book.add({
        kind: 'alarm',
        deviceId: call.deviceId,
        label: text(args, 'label') ?? '',
        dueAt,
        wall: { time, zone: where.zone, on: [...on] },
        action: null,
        language: call.language,
      })
      return { id: alarm.id, due_at: dueAt, ...told(sayAlarm(alarm, wall())) }
    },
  }
}

function sayAlarm(alarm: Alarm, now: number) {
  const zone = alarm.wall?.zone ?? 'UTC'
  if (!alarm.wall || alarm.wall.on.length === 0) return sayMoment(alarm.dueAt, { now, zone })
  const days = sayDays(alarm.wall.on)
  const first = sayMoment(alarm.dueAt, { now: alarm.dueAt, zone })
  return { en: `${days.en} ${first.en.replace(/^today /, '')}`, zh: `${days.zh}${first.zh.replace(/^今天/, '')}` }
}

const alarmsOf = (book: AlarmBook, deviceId: string): Alarm[] =>
  book.list(deviceId).filter(({ kind, state }) => kind === 'alarm' && (state === 'waiting' || state === 'snoozed'))

function listAlarms(book: AlarmBook, { wall }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'list_alarms',
      description: 'The alarms that are set on this board.',
      danger: 'read',
      gives: { alarms: { type: 'array', items: { type: 'object' } } },
      reply: asTold,
      en: [
        'what alarms (are set | do i have)',
        '(list | show | tell me | read) [all] alarms',
        '(which | what | any) alarms [are there | are on | have i set]',
        'do i have (alarms | any alarms | alarm) [set]',
        'when is [next] alarm',
        'is there alarm',
        'which alarms are set',
        'what time (is | are) alarm',
        '(is | are) (alarm | alarms | any alarms) set [for tomorrow | for today]',
        'do we have [any] (alarm | alarms)',
        'what alarms do we have',
      ],
      zh: [
        '(有哪些 | 有什么 | 有几个 | 有没有) (闹钟 | 闹铃)',
        '(查看 | 看看 | 列出 | 查询 | 查) [所有 | 全部] [的] (闹钟 | 闹铃)',
        '我 (设了 | 定了 | 有) (哪些 | 什么 | 几个) (闹钟 | 闹铃)',
        '(闹钟 | 闹铃) (是 | 在) (几点 | 什么时候)',
        '下一个 (闹钟 | 闹铃) [是] (几点 | 什么时候)',
        '我的 (闹钟 | 闹铃) [是 | 在] (几点 | 什么时候)',
        '有没有 (设 | 定) [了] (闹钟 | 闹铃)',
        '都有 (哪些 | 什么) (闹钟 | 闹铃)',
        '看 (闹钟 | 闹铃)',
        '(设了 | 定了) (闹钟 | 闹铃) 吗',
      ],
    }),
    async run(_args, { deviceId }) {
      const alarms = alarmsOf(book, deviceId)
      const listed = alarms.map(({ id, dueAt, label, wall: at }) => ({ id, due_at: dueAt, label, on: at?.on ?? [] }))
      if (alarms.length === 0) return { alarms: listed, ...told({ en: 'No alarm is set.', zh: '没有设置闹钟。' }) }
      const said = alarms.map((alarm) => sayAlarm(alarm, wall()))
      const en = sayList(
        said.map((spoken) => spoken.en),
        4,
      ).en
      return {
        alarms: listed,
        ...told({
          en: `You have an alarm ${en}.`,
          zh: `闹钟在${
            sayList(
              said.map(({ zh }) => zh),
              4,
            ).zh
          }。`,
        }),
      }
    },
  }
}

function cancelAlarm(book: AlarmBook, { zone }: Pick<Times, 'zone'>): BuiltinTool {
  return {
    ...describe({
      name: 'cancel_alarm',
      description: 'Cancels the alarms of this board: those at `time`, or all.',
      takes: {
        time: { type: 'string', format: 'time', description: 'HH:MM' },
        date: { type: 'string', format: 'date', description: 'YYYY-MM-DD: those that ring next on this day' },
      },
      idempotent: true,
      gives: { cancelled: { type: 'integer' } },
      reply: asTold,
      en: [
        '(cancel | delete) [the] alarm',
        '(cancel | delete) [all] (alarm | alarms)',
        '(cancel | delete) {time} alarm',
        '(remove | clear) [all] (alarm | alarms)',
        '(cancel | delete | remove) alarm (for | at) {time}',
        '(remove | clear) {time} alarm',
        'no alarm {date}',
        'i do not need (alarm | alarms) [any more | anymore]',
        '(cancel | delete | remove) alarm (for | of | on) {date}',
        '(cancel | delete | remove) alarm (for | at) {time} {date}',
        'take alarm off',
        "i don't need (alarm | alarms) [any more | anymore]",
      ],
      zh: [
        '(取消 | 删除 | 删掉 | 去掉) [所有 | 全部] [的] (闹钟 | 闹铃)',
        '(取消 | 删除 | 删掉 | 去掉) {time} [的] (闹钟 | 闹铃)',
        '(闹钟 | 闹铃) (取消 | 删除 | 删掉 | 不要了)',
        '把 [所有 | 全部] [的] (闹钟 | 闹铃) [都] (取消 | 删除 | 删掉 | 删了)',
        '把 {time} [的] (闹钟 | 闹铃) (取消 | 删除 | 删掉)',
        '把 {date} [的] (闹钟 | 闹铃) [都] (取消 | 删除 | 删掉 | 删了)',
        '(取消 | 删除 | 删掉) {date} [的] (闹钟 | 闹铃)',
        '(不要 | 不用) (闹钟 | 闹铃) 了',
      ],
    }),
    async run(args, { deviceId }) {
      const time = text(args, 'time')
      const date = text(args, 'date')
      const isMeant = ({ wall, dueAt }: Alarm): boolean =>
        (time === undefined || wall?.time === time || sameHalf(wall?.time, time)) &&
        (date === undefined || wallParts(dueAt, zone()).date === date)
      const found = alarmsOf(book, deviceId).filter(isMeant)
      if (found.length === 0) throw new AppError('helper-no-alarm', 'No such alarm is set on this board')
      for (const { id } of found) await book.cancel(id)
      const isOne = found.length === 1
      return {
        cancelled: found.length,
        ...told({
          en: isOne ? 'The alarm is cancelled.' : `${found.length} alarms are cancelled.`,
          zh: `已取消${found.length}个闹钟。`,
        }),
      }
    },
  }
}

/** "Cancel the seven o'clock alarm" means that of the evening too. */
function sameHalf(kept: string | undefined, said: string): boolean {
  if (kept === undefined) return false
  const [hour = 0, minute] = kept.split(':').map(Number)
  const [saidHour = 0, saidMinute] = said.split(':').map(Number)
  return saidHour <= 12 && hour % 12 === saidHour % 12 && minute === saidMinute
}

const ringingOn = (book: AlarmBook, deviceId: string): Alarm[] =>
  book.list(deviceId).filter(({ state }) => state === 'ringing')

function snoozeAlarm(book: AlarmBook): BuiltinTool {
  return {
    ...describe({
      name: 'snooze_alarm',
      description: 'What rings on this board rings again after some minutes (9 when not said).',
      takes: { minutes: { type: 'integer', minimum: 1, maximum: 120 } },
      gives: { snoozed: { type: 'integer' } },
      reply: asTold,
      en: [
        'snooze [alarm]',
        'snooze [alarm] [for] {minutes} (minutes | minute)',
        '{minutes} more (minutes | minute)',
        '(give me | another) {minutes} [more] (minutes | minute)',
        '(let me sleep | wake me later | ring later | later please)',
        'ring again in {minutes} minutes',
        '(wake me | ring) again in {minutes} minutes',
      ],
      zh: [
        '(贪睡 | 小睡 | 稍后提醒 | 稍后再响 | 等会儿再叫我 | 再睡会儿 | 再睡一会儿 | 待会再叫我)',
        '[再] (睡 | 等 | 延后 | 推迟 | 贪睡) {minutes} 分钟 [再叫我 | 再响]',
        '{minutes} 分钟后再 (叫我 | 响 | 提醒我)',
        '闹钟 (推迟 | 延后) {minutes} 分钟',
        '[过] {minutes} 分钟 [后] 再 (叫我 | 响 | 提醒我)',
      ],
    }),
    async run(args, { deviceId }) {
      const minutes = number(args, 'minutes') ?? 9
      const ringing = ringingOn(book, deviceId)
      if (ringing.length === 0) throw new AppError('helper-nothing-rings', 'Nothing rings on this board')
      for (const { id } of ringing) await book.snooze(id, minutes)
      const length = sayDuration(minutes * 60_000)
      return {
        snoozed: ringing.length,
        ...told({ en: `Okay, again in ${length.en}.`, zh: `好的，${length.zh}后再响。` }),
      }
    },
  }
}

function stopAlarm(book: AlarmBook): BuiltinTool {
  return {
    ...describe({
      name: 'stop_alarm',
      description: 'Ends what rings on this board.',
      idempotent: true,
      gives: { stopped: { type: 'integer' } },
      reply: asTold,
      en: [
        '(stop | turn off) [the] alarm',
        'i am (awake | up)',
        '(switch off | end | silence | quiet | shut off | dismiss) alarm',
        'turn alarm off',
        'stop ringing',
        'alarm off',
      ],
      zh: [
        '(关闭 | 关掉 | 停止 | 停 | 关) [这个] (闹钟 | 闹铃)',
        '(闹钟 | 闹铃) (关掉 | 关闭 | 停 | 关 | 停止 | 别响了)',
        '把 (闹钟 | 闹铃) (关掉 | 关了 | 停掉)',
        '(我起来了 | 我醒了 | 我起床了)',
        '(别响了 | 不要响了 | 别吵了)',
        '我已经 (醒了 | 起来了 | 起床了)',
        '别再 (响了 | 吵了)',
        '把 (闹钟 | 闹铃) 停了',
      ],
    }),
    async run(_args, { deviceId }) {
      const ringing = ringingOn(book, deviceId)
      if (ringing.length === 0) throw new AppError('helper-nothing-rings', 'Nothing rings on this board')
      for (const { id } of ringing) await book.dismiss(id)
      return { stopped: ringing.length, ...told({ en: 'Okay, it is off.', zh: '好的，已关闭。' }) }
    },
  }
}

/** `HH:MM` of an instant: for the wall of a reminder. */
export function wallOfMoment(at: number, zone: string): { time: string; zone: string; on: number[] } {
  return { time: wallParts(at, zone).time, zone, on: [] }
}
