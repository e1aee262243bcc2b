import { AppError } from '../../../base/app-error.ts'
import type { AlarmBook } from './alarm-book.ts'
import { wallOfMoment } from './alarm-tools.ts'
import { asTold, type BuiltinPorts, type BuiltinTool, describe, text } from './builtin-tool.ts'
import { sayDuration, sayList, sayMoment, type Spoken, told } from './spoken-forms.ts'
import { durationMs, instantOf } from './wall-time.ts'

type Times = Pick<BuiltinPorts, 'wall' | 'zone'>

const when = {
  delay: { type: 'string', format: 'duration', description: 'ISO 8601 from now, e.g. PT10M' },
  at: { type: 'string', format: 'date-time', description: 'Local wall time without zone, instead of delay' },
}

export function reminderTools(book: AlarmBook, times: Times): BuiltinTool[] {
  return [remind(book, times), listReminders(book, times), runLater(book, times)]
}

/** The moment that `delay` or `at` names. Throws tool-bad-arguments when neither does. */
function momentFrom(args: Readonly<Record<string, unknown>>, { wall, zone }: Times) {
  const now = wall()
  const delay = text(args, 'delay')
  if (delay !== undefined) {
    const ms = durationMs(delay)
    const length = sayDuration(ms)
    return { dueAt: now + ms, wall: null, spoken: { en: `in ${length.en}`, zh: `${length.zh}后` } satisfies Spoken }
  }
  const at = text(args, 'at')
  if (at === undefined) throw new AppError('tool-bad-arguments', 'Say `delay` or `at`')
  const dueAt = instantOf(at, zone())
  return { dueAt, wall: wallOfMoment(dueAt, zone()), spoken: sayMoment(dueAt, { now, zone: zone() }) }
}

function remind(book: AlarmBook, times: Times): BuiltinTool {
  return {
    ...describe({
      name: 'set_reminder',
      description: 'Says a text on this board later.',
      takes: { text: { type: 'string', minLength: 1, maxLength: 160 }, ...when },
      required: ['text'],
      gives: { id: { type: 'string' } },
      reply: { en: 'Okay, I will remind you {spoken_en}.', zh: '好的，{spoken_zh}提醒你。' },
      en: [
        'remind (me | us | everyone | class | children | kids) in {delay} to {text}',
        'remind (me | us | everyone | class | children | kids) to {text} in {delay}',
        'remind (me | us | everyone | class | children | kids) (at | on) {at} (to | that | about) {text}',
        'remind (me | us | everyone | class | children | kids) {at} (to | that | about) {text}',
        'remind (me | us | everyone | class | children | kids) (to | about | that) {text} [at | on] {at}',
        'remind (me | us | everyone | class | children | kids) (about | that) {text} in {delay}',
        '(set | make | create | add) reminder (to | for | about) {text} in {delay}',
        '(set | make | create | add) reminder (to | for | about) {text} [at | on] {at}',
        '(set | make | create | add) reminder (at | for) {at} to {text}',
        'do not let me forget to {text} [at | on] {at}',
      ],
      zh: [
        '{delay} (后 | 之后 | 以后) 提醒 (我 | 我们 | 大家 | 同学们 | 孩子们) [要 | 去] {text}',
        '{at} 提醒 (我 | 我们 | 大家 | 同学们 | 孩子们) [要 | 去] {text}',
        '提醒 (我 | 我们 | 大家 | 同学们 | 孩子们) {delay} (后 | 之后 | 以后) [要 | 去] {text}',
        '提醒 (我 | 我们 | 大家 | 同学们 | 孩子们) {at} [要 | 去] {text}',
        '(设 | 设置 | 加 | 添加) [个 | 一个] {at} {text} 的提醒',
        '(设 | 设置 | 加 | 添加) [个 | 一个] {delay} (后 | 之后 | 以后) {text} 的提醒',
        '{at} (叫我 | 记得叫我 | 让我记得) {text}',
      ],
    }),
    async run(args, call) {
      const moment = momentFrom(args, times)
      const alarm = await book.add({
        kind: 'reminder',
        deviceId: call.deviceId,
        label: text(args, 'text') ?? '',
        dueAt: moment.dueAt,
        wall: moment.wall,
        action: null,
        language: call.language,
      })
      return { id: alarm.id, ...told(moment.spoken) }
    },
  }
}

function listReminders(book: AlarmBook, { wall, zone }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'list_reminders',
      description: 'The reminders and planned actions of this board that are still to come.',
      danger: 'read',
      gives: { reminders: { type: 'array', items: { type: 'object' } } },
      reply: asTold,
      en: [
        'what reminders (are there | do i have)',
        '(list | show | tell me | read) [all] reminders',
        '(any | which | what) reminders [are set]',
        'do i have [any] reminders',
        'what did i (want | ask you) to remind me (of | about)',
        'what do i have to remember',
        '(what are | which are | show me | tell me | read me) [all] reminders',
        'what reminders do we have',
        '(is there | are there) [any] (reminder | reminders)',
      ],
      zh: [
        '(有哪些 | 有什么 | 有几个 | 有没有) 提醒',
        '(查看 | 看看 | 列出 | 查询) [所有 | 全部] [的] 提醒 [事项]',
        '我 (设了 | 有) (哪些 | 什么 | 几个) 提醒',
        '提醒事项 [有哪些 | 有什么]',
        '我要记得什么',
        '(看 | 看看 | 都) 有 (什么 | 哪些) 提醒',
        '有 [没有] 提醒 [吗]',
      ],
    }),
    async run(_args, { deviceId }) {
      const found = book
        .list(deviceId)
        .filter(({ kind, state }) => (kind === 'reminder' || kind === 'action') && state === 'waiting')
      const reminders = found.map(({ id, label, dueAt }) => ({ id, text: label, due_at: dueAt }))
      if (found.length === 0) return { reminders, ...told({ en: 'There are no reminders.', zh: '没有提醒。' }) }
      const at = { now: wall(), zone: zone() }
      const words = found.map(({ label, dueAt }) => ({
        en: `${label} ${sayMoment(dueAt, at).en}`,
        zh: `${sayMoment(dueAt, at).zh}${label}`,
      }))
      const spoken = {
        en: sayList(
          words.map(({ en }) => en),
          4,
        ).en,
        zh: sayList(
          words.map(({ zh }) => zh),
          4,
        ).zh,
      }
      return { reminders, ...told({ en: `${spoken.en}.`, zh: `${spoken.zh}。` }) }
    },
  }
}

function runLater(book: AlarmBook, times: Times): BuiltinTool {
  return {
    ...describe({
      name: 'run_later',
      danger: 'physical',
      description: 'Calls another tool of this board later, e.g. turns the lamp off in ten minutes.',
      takes: {
        command: {
          type: 'object',
          format: 'tool-call',
          properties: { tool: { type: 'string', maxLength: 64 }, arguments: { type: 'object' } },
          required: ['tool', 'arguments'],
        },
        ...when,
      },
      required: ['command'],
      gives: { id: { type: 'string' } },
      reply: { en: 'Okay, {spoken_en}.', zh: '好的，{spoken_zh}执行。' },
      en: [
        'in {delay} {command}',
        '{command} in {delay}',
        'at {at} {command}',
        '{command} at {at}',
        '{command} {delay} from now',
        'after {delay} {command}',
      ],
      zh: [
        '{delay} (后 | 之后 | 以后) [请] {command}',
        '(过 | 等) {delay} [后 | 之后 | 以后] [再] {command}',
        '{at} [的时候] [请] {command}',
        '{command} (在 | 等) {delay} (后 | 之后 | 以后)',
      ],
    }),
    async run(args, call) {
      const command = (args['command'] ?? {}) as { tool?: unknown; arguments?: unknown }
      const tool = typeof command.tool === 'string' ? command.tool : ''
      if (tool === '' || tool === 'run_later') throw new AppError('tool-bad-arguments', 'command names no other tool')
      const moment = momentFrom(args, times)
      const alarm = await book.add({
        kind: 'action',
        deviceId: call.deviceId,
        label: tool.replaceAll('_', ' '),
        dueAt: moment.dueAt,
        wall: moment.wall,
        action: { tool, arguments: (command.arguments ?? {}) as Record<string, unknown> },
        language: call.language,
      })
      return { id: alarm.id, ...told(moment.spoken) }
    },
  }
}
