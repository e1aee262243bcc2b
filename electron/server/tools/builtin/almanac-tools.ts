import type { Solar as SolarDay } from 'lunar-typescript'
import { asTold, type BuiltinPorts, type BuiltinTool, describe, text } from './builtin-tool.ts'
import { told } from './spoken-forms.ts'
import { instantOf, wallParts } from './wall-time.ts'

// The door to lunar-typescript, loaded when somebody asks. It reckons in the civil calendar of China.

type Times = Pick<BuiltinPorts, 'wall' | 'zone'>

async function solarOf(at: number, zone: string): Promise<SolarDay> {
  const { Solar } = await import('lunar-typescript')
  const { year, month, day, hour, minute } = wallParts(at, zone)
  return Solar.fromYmdHms(year, month, day, hour, minute, 0)
}

export function almanacTools(times: Times): BuiltinTool[] {
  return [lunarDate(times), solarTerm(times), eightCharacters(times)]
}

const animals: Readonly<Record<string, string>> = {
  鼠: 'rat', 牛: 'ox', 虎: 'tiger', 兔: 'rabbit', 龙: 'dragon', 蛇: 'snake',
  马: 'horse', 羊: 'goat', 猴: 'monkey', 鸡: 'rooster', 狗: 'dog', 猪: 'pig',
} // prettier-ignore

function lunarDate({ wall, zone }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'lunar_date',
      description: 'The Chinese lunar date of a day (today when none is said), with year animal and festivals.',
      danger: 'read',
      takes: { date: { type: 'string', format: 'date', description: 'YYYY-MM-DD' } },
      gives: {
        year: { type: 'integer' },
        month: { type: 'integer' },
        day: { type: 'integer' },
        leap: { type: 'boolean' },
      },
      reply: asTold,
      en: [
        'what is lunar date [{date}]',
        'what is {date} in lunar calendar',
        '(tell me | what is) [chinese] lunar (date | day) [of | for | on] [{date}]',
        '(what is | tell me) [today] date in (lunar | chinese) calendar',
        'lunar calendar [date] [{date}]',
        'what (zodiac | animal) year is it',
      ],
      zh: [
        '[{date}] [是] (农历 | 阴历 | 旧历) [的] (几月几号 | 几月几日 | 多少号 | 几号 | 哪天 | 什么日子 | 初几)',
        '(农历 | 阴历 | 旧历) [{date}] [是] (几月几号 | 几月几日 | 多少 | 几号)',
        '[{date}] [的] (农历 | 阴历 | 黄历) [日期] [是什么 | 是多少]',
        '(查 | 查看 | 看看) [{date}] [的] (农历 | 阴历 | 黄历)',
        '今年是 (什么年 | 什么生肖 | 什么属相)',
        '{date} [的] [是] 农历 [是] (几号 | 几月几号 | 几月初几 | 初几 | 哪天)',
        '[{date}] 是农历 (几号 | 几月几号 | 几月初几 | 初几)',
      ],
    }),
    async run(args) {
      const date = text(args, 'date')
      const lunar = (await solarOf(date === undefined ? wall() : instantOf(`${date}T12:00`, zone()), zone())).getLunar()
      const month = Math.abs(lunar.getMonth())
      const leap = lunar.getMonth() < 0
      const festivals = lunar.getFestivals().slice(0, 2)
      const animal = lunar.getYearShengXiao()
      return {
        year: lunar.getYear(),
        month,
        day: lunar.getDay(),
        leap,
        ...told({
          en: `Day ${lunar.getDay()} of ${leap ? 'the leap ' : ''}lunar month ${month}, year of the ${animals[animal] ?? animal}.`,
          zh: `农历${lunar.getYearInGanZhi()}年（${animal}年）${lunar.getMonthInChinese()}月${lunar.getDayInChinese()}${festivals.length > 0 ? `，${festivals.join('、')}` : ''}。`,
        }),
      }
    },
  }
}

const terms: Readonly<Record<string, string>> = {
  立春: 'Start of Spring', 雨水: 'Rain Water', 惊蛰: 'Awakening of Insects', 春分: 'Spring Equinox', 清明: 'Clear and Bright',
  谷雨: 'Grain Rain', 立夏: 'Start of Summer', 小满: 'Grain Full', 芒种: 'Grain in Ear', 夏至: 'Summer Solstice',
  小暑: 'Minor Heat', 大暑: 'Major Heat', 立秋: 'Start of Autumn', 处暑: 'End of Heat', 白露: 'White Dew',
  秋分: 'Autumn Equinox', 寒露: 'Cold Dew', 霜降: "Frost's Descent", 立冬: 'Start of Winter', 小雪: 'Minor Snow',
  大雪: 'Major Snow', 冬至: 'Winter Solstice', 小寒: 'Minor Cold', 大寒: 'Major Cold',
} // prettier-ignore

function solarTerm({ wall, zone }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'solar_term',
      description: 'The solar term that holds now, and the next one.',
      danger: 'read',
      gives: { now: { type: 'string' }, next: { type: 'string' }, next_date: { type: 'string' } },
      reply: asTold,
      en: [
        'what is [current | next] solar term',
        'which solar term is (it | now | next)',
        'when is next solar term',
        '(tell me | say) [current] solar term',
        'solar term [today | now]',
        '(what | which) solar term is it [now | today]',
      ],
      zh: [
        '(现在 | 今天 | 目前) 是 (什么 | 哪个) 节气',
        '下 (一个 | 个) 节气 [是] (什么 | 哪个 | 什么时候 | 哪天)',
        '(查 | 查看 | 看看 | 告诉我) 节气',
        '节气 [是什么 | 是哪个]',
        '(最近 | 接下来) [的 | 是] (什么节气 | 节气 | 节气是什么)',
        '今天 [是] 什么节气',
      ],
    }),
    async run() {
      const lunar = (await solarOf(wall(), zone())).getLunar()
      const now = lunar.getPrevJieQi(true)
      const next = lunar.getNextJieQi(true)
      const solar = next.getSolar()
      const date = solar.toYmd()
      return {
        now: now.getName(),
        next: next.getName(),
        next_date: date,
        ...told({
          en: `It is ${terms[now.getName()] ?? now.getName()}; ${terms[next.getName()] ?? next.getName()} begins on ${date}.`,
          zh: `现在是${now.getName()}，下一个是${solar.getMonth()}月${solar.getDay()}日的${next.getName()}。`,
        }),
      }
    },
  }
}

function eightCharacters({ wall, zone }: Times): BuiltinTool {
  return {
    ...describe({
      name: 'eight_characters',
      description: 'The eight characters (four pillars) of a moment, now when none is said.',
      danger: 'read',
      takes: { at: { type: 'string', format: 'date-time', description: 'Local wall time without zone' } },
      gives: { pillars: { type: 'array', items: { type: 'string' } } },
      reply: asTold,
      en: [
        'what are [my] eight characters',
        'what are eight characters (of | for) {at}',
        '(tell me | give me | calculate) [my] (eight characters | four pillars) [of | for] [{at}]',
        '(four pillars | bazi) [of | for] [{at}]',
        'what is bazi (of | for) {at}',
        'what are four pillars',
      ],
      zh: [
        '[现在 | 此刻] [的] (八字 | 生辰八字 | 四柱) [是什么]',
        '{at} [出生] [的] (八字 | 生辰八字 | 四柱) [是什么]',
        '(算 | 查 | 看看 | 排) {at} [出生] [的] (八字 | 生辰八字 | 四柱)',
        '(算 | 查 | 看看) [现在 | 此刻] [的] (八字 | 四柱)',
        '(八字 | 四柱) {at}',
      ],
    }),
    async run(args) {
      const at = text(args, 'at')
      const eight = (await solarOf(at === undefined ? wall() : instantOf(at, zone()), zone())).getLunar().getEightChar()
      const pillars = [eight.getYear(), eight.getMonth(), eight.getDay(), eight.getTime()]
      return { pillars, ...told({ en: `${pillars.join(' ')}.`, zh: `${pillars.join('，')}。` }) }
    },
  }
}
