import { type BuiltinTool, describe, number, text } from './builtin-tool.ts'
import { sayNumber, told } from './spoken-forms.ts'
import type { Sums } from './sum-thread.ts'
import { units } from './units.ts'

const unitNames = Object.fromEntries(
  Object.entries(units).map(([name, { en, zh }]) => [name, { en: [...en], zh: [...zh] }]),
)

export function sumTools(sums: Pick<Sums, 'workOut' | 'convert'>): BuiltinTool[] {
  return [calculate(sums), convert(sums)]
}

function calculate(sums: Pick<Sums, 'workOut'>): BuiltinTool {
  return {
    ...describe({
      name: 'calculate',
      description:
        'Works out a formula: + - * / ^ mod, %, !, brackets, sqrt, cbrt, abs, round, ln, log, sin, cos, tan, pi, e.',
      danger: 'read',
      timeoutMs: 10_000,
      takes: { expression: { type: 'string', format: 'arithmetic', minLength: 1, maxLength: 200 } },
      required: ['expression'],
      gives: { value: { type: 'number' } },
      reply: { en: 'That is {spoken_en}.', zh: '等于{spoken_zh}。' },
      en: [
        'what is {expression}',
        'how much is {expression}',
        '(calculate | compute | work out | figure out | solve | tell me | do) [what is] {expression} [is]',
        '{expression} (is | equals | makes) [what]',
        'what (does | do) {expression} (equal | make | come to)',
        '{expression}',
      ],
      zh: [
        '{expression} (等于 | 是 | 得) (多少 | 几)',
        '(计算 | 算 | 算算 | 求 | 帮我算) {expression} [等于多少 | 是多少]',
        '{expression} [等于]',
        '{expression} 的 (结果 | 值) [是多少 | 是什么]',
        '(算出 | 告诉我) {expression} [等于多少 | 是多少]',
      ],
    }),
    async run(args) {
      const value = await sums.workOut(text(args, 'expression') ?? '')
      const said = sayNumber(value)
      return { value, ...told({ en: said, zh: said }) }
    },
  }
}

function convert(sums: Pick<Sums, 'convert'>): BuiltinTool {
  const unit = { type: 'string', enum: Object.keys(units) }
  return {
    ...describe({
      name: 'convert_unit',
      description: 'Turns a value into another unit of the same kind.',
      danger: 'read',
      timeoutMs: 10_000,
      takes: { value: { type: 'number' }, from: unit, to: unit },
      required: ['from', 'to'],
      gives: { value: { type: 'number' } },
      values: { from: unitNames, to: unitNames },
      reply: { en: 'That is {spoken_en}.', zh: '等于{spoken_zh}。' },
      en: [
        '(convert | change | turn) {value} {from} (to | into | in) {to}',
        'how many {to} (are | is | in | are in | are there in) {value} {from}',
        '(what is | how much is | tell me) {value} {from} (in | to) {to}',
        'how many {to} (are in | in | are there in | does | make) {from} [have | make]',
        '{value} {from} (in | to | into | is how many) {to}',
        'how many {to} (does | do) {value} {from} (make | have)',
      ],
      zh: [
        '{value} {from} (是 | 等于 | 有 | 合 | 换算成 | 换成 | 转成) [多少 | 几] {to}',
        '(把 | 将) {value} {from} (换算 | 转换 | 换 | 转 | 变) (成 | 为 | 到) {to}',
        '(换算 | 转换) {value} {from} [到 | 成 | 为] {to}',
        '(多少 | 几) {to} (是 | 等于) {value} {from}',
        '{from} {value} 度 (是 | 等于 | 有 | 合 | 换算成 | 换成 | 转成) [多少 | 几] {to}',
        '(一 | 1) {from} (是 | 等于 | 有) (多少 | 几) {to}',
      ],
    }),
    async run(args) {
      const from = text(args, 'from') ?? ''
      const to = text(args, 'to') ?? ''
      const value = await sums.convert(number(args, 'value') ?? 1, from, to)
      const said = sayNumber(Number(value.toPrecision(6)))
      return { value, ...told({ en: `${said} ${units[to]?.en[0] ?? to}`, zh: `${said}${units[to]?.zh[0] ?? to}` }) }
    },
  }
}
