import { AppError } from '../../../base/app-error.ts'
import type { Alarm } from '../../../contract/helper-tools.ts'
import type { AlarmBook } from './alarm-book.ts'
import { asTold, type BuiltinPorts, type BuiltinTool, describe, text } from './builtin-tool.ts'
import { sayDuration, sayList, told } from './spoken-forms.ts'
import { durationMs } from './wall-time.ts'

const label = { type: 'string', maxLength: 60, description: 'What it is for, e.g. "pasta"' }

export function timerTools(book: AlarmBook, ports: Pick<BuiltinPorts, 'wall'>): BuiltinTool[] {
  return [setTimer(book, ports), timeLeft(book, ports), cancelTimer(book)]
}

function setTimer(book: AlarmBook, { wall }: Pick<BuiltinPorts, 'wall'>): BuiltinTool {
  return {
    ...describe({
      name: 'set_timer',
      description: 'Starts a countdown that rings on this board when the time is over.',
      takes: { duration: { type: 'string', format: 'duration', description: 'ISO 8601, e.g. PT5M' }, label },
      required: ['duration'],
      gives: { id: { type: 'string' } },
      reply: { en: 'Okay, {spoken_en} from now.', zh: '好的，{spoken_zh}后叫你。' },
      en: [
        '(set | start) [a] timer for {duration}',
        '(set | start) [a] {duration} timer',
        '(set | start | make | create | begin | put) [new | another] timer (for | of | to) {duration}',
        '(make | create | begin | want | need) {duration} (timer | countdown)',
        '{duration} timer',
        'timer [for] {duration}',
        'count down {duration}',
        '(time | wake me in) {duration}',
        'set {label} timer for {duration}',
        '(set | start) timer for {duration} for {label}',
        '(set | start | make | create) {label} timer (for | of | to) {duration}',
        '{label} timer (for | of) {duration}',
        '[set | start | make | create] timer (for | of | to) {duration} (called | named | for) {label}',
        '[set | start | make | create] {duration} timer (called | named | for) {label}',
        '{duration} on timer',
      ],
      zh: [
        '(设 | 设置 | 设个 | 设一个 | 定 | 定个 | 定一个 | 开始 | 开 | 来个 | 来一个 | 启动) {duration} [的] (计时器 | 定时器 | 倒计时 | 计时 | 闹铃)',
        '(计时 | 倒计时 | 倒数 | 定时) {duration}',
        '{duration} [的] (计时器 | 定时器 | 倒计时 | 计时)',
        '{duration} (后 | 之后 | 以后) (叫我 | 提醒我 | 喊我)',
        '(设 | 设置 | 定) [个 | 一个] {label} [的] (计时器 | 定时器 | 倒计时) {duration}',
        '(设 | 设置 | 定 | 开 | 来 | 启动) [个 | 一个] (叫 | 叫做 | 名叫) {label} [的] {duration} [的] (计时器 | 定时器 | 倒计时 | 计时 | 闹铃)',
        '(设 | 设置 | 定 | 开 | 来 | 启动) [个 | 一个] {duration} 的 {label} (计时器 | 定时器 | 倒计时)',
        '(设 | 设置 | 定 | 开 | 来 | 启动) [个 | 一个] {duration} [的] (计时器 | 定时器 | 倒计时) (叫 | 叫做) {label}',
        '(计时器 | 定时器 | 倒计时) [设 | 定 | 设置] [为 | 到 | 成] {duration}',
        '{label} (计时 | 倒计时 | 定时) {duration}',
      ],
    }),
    async run(args, call) {
      const ms = durationMs(text(args, 'duration') ?? '')
      const alarm = await book.add({
        kind: 'timer',
        deviceId: call.deviceId,
        label: text(args, 'label') ?? '',
        dueAt: wall() + ms,
        wall: null,
        action: null,
        language: call.language,
      })
      return { id: alarm.id, ...told(sayDuration(ms)) }
    },
  }
}

const isCalled = (alarm: Alarm, said: string | undefined): boolean =>
  said === undefined || alarm.label.toLowerCase().includes(said.toLowerCase())

const timersOf = (book: AlarmBook, deviceId: string): Alarm[] =>
  book.list(deviceId).filter(({ kind, state }) => kind === 'timer' && (state === 'waiting' || state === 'snoozed'))

function timeLeft(book: AlarmBook, { wall }: Pick<BuiltinPorts, 'wall'>): BuiltinTool {
  return {
    ...describe({
      name: 'timer_left',
      description: 'How much time the timers of this board still have.',
      danger: 'read',
      takes: { label },
      gives: { seconds: { type: 'array', items: { type: 'integer' } } },
      reply: asTold,
      en: [
        'how (much time | long) is left [on timer | on my timer]',
        'how long is left on timer',
        '(how much | how many) (time | minutes) (is | are | do i have) left [on timer]',
        '(what is | check | how is) timer [at]',
        'time left [on timer]',
        'when (is | will) timer [be] (done | up | over | finished)',
        'how (much longer | much time | long) [is] (on | left on) timer',
        'how long (until | before | till) timer (goes off | rings | is done | ends | is up)',
        'how much time (do we | is there) [have] left',
        'how (much longer | much time | long) (does | is left on | is on) {label} timer [have] [left]',
      ],
      zh: [
        '[计时器 | 定时器 | 倒计时] 还 (剩 | 有 | 剩下) (多久 | 多少时间 | 几分钟 | 多长时间)',
        '(计时器 | 定时器 | 倒计时) [还] (剩多久 | 剩多少 | 到哪了 | 什么时候结束 | 什么时候到)',
        '(查看 | 看看 | 查) (计时器 | 定时器 | 倒计时)',
        '剩余时间 [是] [多少 | 多久]',
        '(还有 | 还要) 多久 (到时间 | 时间到 | 到点 | 响)',
        '{label} (计时器 | 定时器 | 倒计时) 还 (剩 | 有 | 剩下) (多久 | 多少时间 | 几分钟 | 多长时间)',
      ],
    }),
    async run(args, { deviceId }) {
      const meant = timersOf(book, deviceId).filter((timer) => isCalled(timer, text(args, 'label')))
      const left = meant.map(({ dueAt, label: name }) => ({ ms: Math.max(0, dueAt - wall()), name }))
      const seconds = left.map(({ ms }) => Math.round(ms / 1000))
      if (left.length === 0) return { seconds, ...told({ en: 'No timer is running.', zh: '没有正在运行的计时器。' }) }
      const words = (language: 'en' | 'zh') =>
        left.map(({ ms, name }) => `${name === '' ? '' : `${name} `}${sayDuration(ms)[language]}`)
      return { seconds, ...told({ en: `${sayList(words('en')).en} left.`, zh: `还剩${sayList(words('zh')).zh}。` }) }
    },
  }
}

function cancelTimer(book: AlarmBook): BuiltinTool {
  return {
    ...describe({
      name: 'cancel_timer',
      description: 'Cancels the timers of this board that still run.',
      takes: { label },
      idempotent: true,
      gives: { cancelled: { type: 'integer' } },
      reply: asTold,
      en: [
        '(cancel | stop | delete) [the] timer',
        '(cancel | stop | delete) [all] (timer | timers)',
        '(clear | remove | end | kill | abort | turn off | switch off) [all] (timer | timers | countdown)',
        'cancel countdown',
        'i do not need timer [any more | anymore]',
        'forget timer',
        'no more timers',
        '(cancel | stop | delete | remove) {label} timer',
        'never mind timer',
      ],
      zh: [
        '(取消 | 停止 | 关闭 | 关掉 | 删除 | 结束 | 停掉) [所有 | 全部] [的] (计时器 | 定时器 | 倒计时 | 计时)',
        '(计时器 | 定时器 | 倒计时) (取消 | 停止 | 关掉 | 不要了 | 停了)',
        '不用 (计时 | 倒计时) 了',
        '把 (计时器 | 定时器 | 倒计时) (取消 | 关掉 | 关了 | 停掉)',
        '(取消 | 停止 | 关掉 | 删除) {label} [的] (计时器 | 定时器 | 倒计时)',
        '把 (计时器 | 定时器 | 倒计时) (取消掉 | 取消了 | 删了 | 删掉)',
        '(计时器 | 定时器 | 倒计时) 不用了',
        '(不要 | 别) 计时了',
      ],
    }),
    async run(args, { deviceId }) {
      const timers = timersOf(book, deviceId).filter((timer) => isCalled(timer, text(args, 'label')))
      if (timers.length === 0) throw new AppError('helper-no-timer', 'No such timer runs on this board')
      for (const { id } of timers) await book.cancel(id)
      const cancelled = timers.length
      return { cancelled, ...told({ en: 'The timer is cancelled.', zh: '计时器已取消。' }) }
    },
  }
}
