import type { NoteBook } from './note-book.ts'
import { asTold, type BuiltinPorts, type BuiltinTool, describe, number, text } from './builtin-tool.ts'
import { sayList, told } from './spoken-forms.ts'

type Chance = Pick<BuiltinPorts, 'random'>

/** Dice, coins and whose turn it is. */
export function chanceTools(book: NoteBook, chance: Chance): BuiltinTool[] {
  return [rollDice(chance), flipCoin(chance), randomPupil(book, chance)]
}

function rollDice({ random }: Chance): BuiltinTool {
  return {
    ...describe({
      name: 'roll_dice',
      description: 'Rolls dice.',
      danger: 'read',
      idempotent: false,
      takes: {
        count: { type: 'integer', minimum: 1, maximum: 20, default: 1 },
        sides: { type: 'integer', minimum: 2, maximum: 1000, default: 6 },
      },
      gives: { rolls: { type: 'array', items: { type: 'integer' } } },
      reply: asTold,
      en: [
        '(roll | throw) (dice | die)',
        '(roll | throw) {count} dice',
        '(roll | throw) {sides} sided (dice | die)',
        '(roll | throw) {count} {sides} sided dice',
        '(roll | throw) (dice | die) with {sides} sides',
        'give me [random] number (from | between) 1 (to | and) {sides}',
        '(pick | random) number (between | from) 1 (and | to) {sides}',
      ],
      zh: [
        '(掷 | 扔 | 丢 | 投 | 摇) [个 | 一个 | 一次] (骰子 | 色子)',
        '(掷 | 扔 | 丢 | 投 | 摇) {count} [个 | 颗 | 次] (骰子 | 色子)',
        '(掷 | 扔 | 丢 | 投) [个 | 一个] {sides} 面 [的] (骰子 | 色子)',
        '(骰子 | 色子) (掷 | 扔 | 摇) [一次 | 一个]',
        '[来 | 说 | 给] [个 | 一个] 1到 {sides} [之间] 的 (随机数 | 数字 | 数)',
      ],
    }),
    async run(args) {
      const sides = number(args, 'sides') ?? 6
      const rolls = Array.from({ length: number(args, 'count') ?? 1 }, () => 1 + Math.floor(random() * sides))
      const said = sayList(rolls.map(String), 20)
      const sum = rolls.reduce((total, roll) => total + roll, 0)
      if (rolls.length === 1) return { rolls, ...told({ en: `${sum}.`, zh: `${sum}点。` }) }
      return { rolls, ...told({ en: `${said.en}, together ${sum}.`, zh: `${said.zh}，一共${sum}。` }) }
    },
  }
}

function flipCoin({ random }: Chance): BuiltinTool {
  return {
    ...describe({
      name: 'flip_coin',
      description: 'Flips a coin.',
      danger: 'read',
      idempotent: false,
      gives: { heads: { type: 'boolean' } },
      reply: asTold,
      en: [
        '(flip | toss) coin',
        'heads or tails',
        '(throw | spin) coin',
        '(yes or no | decide for me)',
        'coin (flip | toss)',
      ],
      zh: [
        '(抛 | 扔 | 丢 | 掷 | 投) [个 | 一个 | 一枚 | 一次] 硬币',
        '(正面还是反面 | 正反面 | 猜正反)',
        '(翻 | 转) [个 | 一个] 硬币',
        '硬币 (抛 | 扔) [一次]',
        '(帮我决定 | 帮我做个决定)',
      ],
    }),
    async run() {
      const heads = random() < 0.5
      return { heads, ...told(heads ? { en: 'Heads.', zh: '正面。' } : { en: 'Tails.', zh: '反面。' }) }
    },
  }
}

function randomPupil(book: NoteBook, { random }: Chance): BuiltinTool {
  return {
    ...describe({
      name: 'random_pupil',
      description: 'Picks one name from a list of pupils (the list "pupils", "class" or 学生 when none is said).',
      danger: 'read',
      idempotent: false,
      takes: { list: { type: 'string', minLength: 1, maxLength: 40 } },
      gives: { name: { type: ['string', 'null'] } },
      reply: asTold,
      en: [
        '(pick | choose) [random] (pupil | student)',
        'who is next',
        '(pick | choose | select | call) [random] (pupil | student | kid | somebody | someone) [at random]',
        '(pick | choose | select) [random] (pupil | student | someone | somebody | name) (from | in | of) {list} [list]',
        'random (pupil | student)',
        'whose turn is it',
        'who (should | has to | gets to | will) (answer | start | go first)',
        '(pick | choose | select) (child | children | kid) (from | in | of) {list} [list]',
        '(pick | choose | select) (child | kid)',
      ],
      zh: [
        '(随机)(点 | 抽 | 选 | 叫) [个 | 一个 | 一名 | 一位] (学生 | 同学 | 人)',
        '(点名 | 随机点名 | 抽签 | 抽人)',
        '(点 | 抽 | 选 | 挑) [个 | 一个 | 一名 | 一位] (学生 | 同学)',
        '(该谁了 | 轮到谁 | 轮到谁了 | 下一个是谁 | 叫谁)',
        '从 {list} [清单 | 列表 | 名单] [里 | 中] (随机)(点 | 抽 | 选 | 挑) [个 | 一个 | 一名 | 一位] [人 | 学生 | 同学]',
        '(抽 | 点 | 叫 | 选) [个 | 一个] (同学 | 学生) [来] (回答 | 发言)',
        '谁来 (回答 | 说 | 发言)',
      ],
    }),
    async run(args) {
      const names =
        text(args, 'list') === undefined
          ? ['pupils', 'students', 'class', '学生', '同学', '班级']
          : [text(args, 'list') ?? '']
      const found = names.map((name) => book.find(name)).find((list) => list !== undefined)
      const pupils = found?.items.filter(({ done }) => !done) ?? []
      const picked = pupils[Math.floor(random() * pupils.length)]
      if (!picked) return { name: null, ...told({ en: 'There is no list of pupils yet.', zh: '还没有学生名单。' }) }
      return { name: picked.text, ...told({ en: `${picked.text}.`, zh: `${picked.text}。` }) }
    },
  }
}
