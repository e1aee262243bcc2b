import { type BuiltinPorts, type BuiltinTool, describe } from './builtin-tool.ts'
import { sayDate, sayTime, told } from './spoken-forms.ts'
import { wallParts } from './wall-time.ts'

const weekday = {
  en: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  zh: ['星期一', '星期二', '星期三', '星期四', '星期五', '星期六', '星期日'],
} as const

const dateSaid = {
  en: [
    'what day is [it | today]',
    '(what is | tell me) [today] date [today]',
    "(what is | tell me) today's date",
    'what date is it [today]',
    'what day of week is it',
    '(which | what) (day | date) is it today',
  ],
  zh: [
    '今天 [是] (几号 | 几月几号 | 几月几日 | 多少号)',
    '今天 [是] (星期几 | 周几 | 礼拜几)',
    '(今天 | 现在) [的] 日期 [是多少 | 是什么]',
    '(告诉我 | 查一查) 今天的日期',
    '现在是几月几号',
  ],
} as const

/** The computer's clock, told. */
export function clockTools({ wall, zone }: Pick<BuiltinPorts, 'wall' | 'zone'>): BuiltinTool[] {
  return [
    {
      ...describe({
        name: 'get_time',
        description: 'The time of day where this server stands.',
        danger: 'read',
        gives: { time: { type: 'string', description: 'HH:MM' } },
        reply: { en: 'It is {spoken_en}.', zh: '现在是{spoken_zh}。' },
        en: [
          'what time is it [now | right now | please]',
          'what is [the] time',
          '(what is | tell me | do you know | say | give me) [current | exact] time',
          'how late is it',
          '(tell me | do you know) what time it is',
          'time [now]',
          '(do you have | have you got) time',
        ],
        zh: [
          '[现在 | 目前] 几点 [钟] [了]',
          '[现在 | 目前] [是] 什么 (时间 | 时候 | 时辰) [了]',
          '(报时 | 报个时 | 告诉我时间 | 告诉我现在几点 | 看看时间)',
          '[现在] [的] 时间 [是] [多少 | 几点]',
          '看看几点了',
          '看看几点',
        ],
      }),
      async run() {
        const at = wall()
        return { time: wallParts(at, zone()).time, ...told(sayTime(at, zone())) }
      },
    },
    {
      ...describe({
        name: 'get_date',
        description: "Today's date and day of the week.",
        danger: 'read',
        gives: { date: { type: 'string', description: 'YYYY-MM-DD' } },
        reply: { en: 'Today is {spoken_en}.', zh: '今天是{spoken_zh}。' },
        ...dateSaid,
      }),
      async run() {
        const at = wall()
        const { date, weekday: day } = wallParts(at, zone())
        const spoken = sayDate(at, zone())
        return { date, weekday: weekday.en[day - 1] ?? '', ...told(spoken) }
      },
    },
  ]
}
