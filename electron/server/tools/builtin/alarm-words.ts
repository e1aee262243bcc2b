import type { Alarm } from '../../../contract/helper-tools.ts'
import { sayMoment, sayTime } from './spoken-forms.ts'

interface Now {
  readonly now: number
  readonly zone: string
}

/** What the board says when it rings. */
export function ringText(alarm: Alarm, lateMs: number, { now, zone }: Now): string {
  const time = sayTime(alarm.state === 'snoozed' ? now : alarm.dueAt, zone)
  const { label } = alarm
  const isLate = lateMs > 60_000
  if (alarm.language === 'zh') {
    if (alarm.kind === 'timer') return label === '' ? '时间到了。' : `${label}的时间到了。`
    if (alarm.kind === 'reminder') return `${isLate ? `${time.zh}的提醒` : '提醒'}：${label}。`
    return label === '' ? `闹钟响了，${time.zh}。` : `闹钟响了，${time.zh}，${label}。`
  }
  if (alarm.kind === 'timer') return label === '' ? 'Time is up.' : `Time is up: ${label}.`
  if (alarm.kind === 'reminder') return `Reminder${isLate ? ` for ${time.en}` : ''}: ${label}.`
  return label === '' ? `Alarm. It is ${time.en}.` : `Alarm. It is ${time.en}: ${label}.`
}

/** What the board says of one that rang while nobody was there. */
export function missedText(alarm: Alarm, at: Now): string {
  const when = sayMoment(alarm.dueAt, at)
  const { label, kind } = alarm
  if (alarm.language === 'zh') {
    const what = { timer: '计时器', alarm: '闹钟', reminder: '提醒', action: '定时动作' }[kind]
    return `错过了${when.zh}的${what}${label === '' ? '' : `：${label}`}。`
  }
  const what = { timer: 'a timer', alarm: 'an alarm', reminder: 'a reminder', action: 'a planned action' }[kind]
  return `You missed ${what} ${when.en}${label === '' ? '' : `: ${label}`}.`
}

/** What is said when a planned call did not do its work. */
export function failedAction(alarm: Alarm): string {
  return alarm.language === 'zh'
    ? `定时动作没有完成${alarm.label === '' ? '' : `：${alarm.label}`}。`
    : `A planned action did not work${alarm.label === '' ? '' : `: ${alarm.label}`}.`
}
