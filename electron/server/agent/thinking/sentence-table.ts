import type { SpokenLanguage } from '../providers.ts'

/**
 * What a sentence does with a tool. `switch`: a boolean; `level`: a number; `color`: red, green and blue; `choice`: an
 * enum; `read`: asks; `run`: a tool that needs nothing.
 */
export type Intent = 'switch' | 'level' | 'color' | 'choice' | 'read' | 'run'

export interface Sentence {
  readonly intent: Intent
  readonly language: SpokenLanguage
  readonly text: string
  /** Also part of the recogniser's grammar: kept few, because every sentence more is one more to be misheard. */
  readonly heard: boolean
}

/**
 * The one table of sentence forms (pattern.ts tells the notation). Slots: target, param (param2 where it may also stand last), state (on/off), open and shut
 * (the verbs that mean true and false), number, color, value. English articles are dropped before matching, and every
 * polite frame ("could you … please") too, so no form names them.
 */
const heardEnglish: Readonly<Record<Intent, readonly string[]>> = {
  switch: ['(turn | switch) <state> <target>', '(turn | switch) <target> <state>', '<target> <state>'],
  level: [
    '(set | turn | change | put) <target> [<param>] to <number>',
    '(set | change) <param> of <target> to <number>',
    '(set | change) <param> to <number>',
    '<target> [<param>] (at | to) <number>',
    '<value> <target>',
  ],
  color: [
    '(set | turn | change | make) <target> [color] [to] <color>',
    '(set | change) color to <color>',
    '<target> <color>',
  ],
  choice: ['(set | switch | change | turn) <target> [<param>] to <value>', '(turn | switch) <value> <target>'],
  read: ["(what is | what's | read | check | get | tell me) <target>", '<question>'],
  run: ['(run | start | do) <target>', '<phrase>'],
}
const typedEnglish: Readonly<Record<Intent, readonly string[]>> = {
  switch: [
    '(power | flip | shut | flick | click | put | get | bring) <state> <target>',
    '(power | flip | shut | flick | click | put | get | bring | make | set | keep | leave | have) <target> [to] <state>',
    '(<open> | <shut>) <target>',
    '<target> <state> (now | again)',
  ],
  level: [
    '(make | bring | adjust | move | crank | raise | lower | increase | decrease | reduce | dim | brighten | run | keep | spin | drop | get | slow | speed) [up | down] <target> [<param>] [up | down] (to | at) <number> [<param2>]',
    '(turn | set | put | change | make) [up | down | on] <target> [<param>] [up | down | on] [to | at] <number> [<param2>]',
    '(make | raise | lower | increase | decrease | reduce | adjust | bring | turn | drop | move | dim | get) [up | down] <param> [of <target> | on <target>] [up | down] to <number>',
    '(set | change | turn | put) <param> (of | on | for) <target> to <number>',
    '<target> [<param>] [at | to] <number> [<param2>]',
    '<param> [of <target>] [at | to] <number>',
    '[set | put] <number> [<param>] (on | for) <target>',
    '<value> [<target>]',
  ],
  color: [
    '(set | turn | change | make | switch | paint | light | put | get) [up] <target> [color | colour] [to | into | in | up] <color> [color | colour]',
    '(set | change | make | turn | switch) (color | colour) [of | on] <target> [to] <color>',
    '(show | light up | light | put | set) <color> [light | color | colour] (on | with | in) <target>',
    '(show | turn on | switch on | make) <color> <target>',
    '(set | turn | change | make | switch | put) (color | colour) [to | into] <color>',
    '(color | colour) [to] <color>',
    '<target> [to | in] <color>',
    '<color> <target>',
  ],
  choice: [
    '(set | switch | change | turn | put | make) <target> [<param>] [to | on | in | into] <value> [mode | <param2>]',
    '(set | switch | change | put) <param> [of <target> | on <target>] to <value>',
    '<target> [<param>] [to | in] <value> [mode | <param2>]',
    '<value> [mode] (on | for) <target>',
  ],
  read: [
    '(what is | how is | show | show me | give me | get me | read out | read me | do you know | report | measure | say | tell me what is | i want to know | want to know | know | how high is | how much is | tell me about | look up | find out | let me know | what) [current | present | exact] <target> [is | reading | level | value | at | set to | like] [now | right now | currently | today | at moment | at present | inside | in room | in here]',
    '(what | how much | how many) <target> is it [now | right now | currently | inside | in room | in here | today]',
    '(read | check | get | tell me) [current | present] <target> [is | reading | level | value] [now | today]',
    '(tell me | do you know | can you tell | i want to know | show me) <question> [now | right now | inside | in room | in here | currently]',
    '<question> [now | right now | inside | in room | in here | currently | today | outside]',
    '[current | present] <target> [reading | level | value] [now]',
  ],
  run: ['(activate | trigger | execute | perform | press | launch | begin | make | fire) <target>', '<target>'],
}
const typedChinese: Readonly<Record<Intent, readonly string[]>> = {
  switch: [
    '<open> <target>',
    '<shut> <target>',
    '(把 | 将 | 让 | 给 | 给我把) <target> [给 | 都] (<open> | <shut> | <state>) [了 | 起来 | 上]',
    '<target> [都 | 给我] (<open> | <shut> | <state>) [起来]',
  ],
  level: [
    '[把 | 将 | 让 | 给] <target> [的] [<param>] (调 | 设 | 设置 | 设定 | 调整 | 调节 | 开 | 转 | 改 | 降 | 升 | 提高 | 降低 | 调高 | 调低 | 调大 | 调小 | 调亮 | 调暗 | 开大 | 关小 | 定 | 变 | 加 | 减 | 打开) [到 | 成 | 为 | 至 | 在] <number>',
    '(设置 | 设 | 调 | 调整 | 调节 | 设定 | 打开 | 开 | 降低 | 提高 | 调高 | 调低) <target> [的] [<param>] [到 | 为 | 成 | 至] <number>',
    '<target> [的] [<param>] [到 | 为 | 要] <number>',
    '[把 | 将 | 让] <param> (调 | 设 | 设置 | 设定 | 调整 | 调节 | 开 | 改 | 降 | 升 | 提高 | 降低 | 调高 | 调低 | 调大 | 调小 | 定) [到 | 成 | 为 | 至 | 在] <number>',
    '(设置 | 设 | 调 | 调整 | 调节 | 提高 | 降低 | 调高 | 调低) <param> [到 | 为 | 成 | 至] <number>',
    '<param> [到 | 为] <number>',
    '[把 | 将 | 让] [<target>] [调 | 设 | 开] [成 | 为 | 到] <value>',
    '<value> <target>',
  ],
  color: [
    '[把 | 将 | 让 | 给] <target> [的颜色 | 颜色] [都] (调 | 设 | 设置 | 设定 | 变 | 改 | 换 | 切换 | 调整 | 弄 | 开 | 亮 | 显示 | 打开) [成 | 为 | 到 | 至 | 上] <color>',
    '[把 | 将 | 让 | 给] <target> [的颜色 | 颜色] (成 | 为 | 到) <color>',
    '[把 | 将] 颜色 (调 | 设 | 设置 | 变 | 改 | 换 | 切换) [成 | 为 | 到] <color>',
    '(开 | 打开 | 亮 | 点亮 | 来个 | 来点 | 显示 | 换成 | 切换成 | 切换到 | 变成 | 设成 | 调成) <color> [的] [<target> | 光]',
    '(设置 | 设 | 调 | 调整) <target> [的颜色 | 颜色] [为 | 成 | 到] <color>',
    '<target> [颜色] <color>',
    '<color> <target>',
  ],
  choice: [
    '[把 | 将 | 让] <target> [的] [<param>] (调 | 设 | 设置 | 设定 | 切换 | 切 | 换 | 改 | 变 | 调整 | 开) [成 | 到 | 为 | 至] <value> [模式 | 档]',
    '(设置 | 设 | 调 | 切换 | 打开 | 开) <target> [的] [<param>] [为 | 成 | 到] <value> [模式 | 档]',
    '[把 | 将] <param> (调 | 设 | 设置 | 切换 | 换 | 改) [成 | 到 | 为] <value>',
    '<target> [<param>] <value> [模式 | 档]',
  ],
  read: [
    '[现在 | 当前 | 目前 | 今天 | 室内 | 屋里 | 屋内 | 房间 | 房间里 | 这里 | 家里] [的] <target> [现在 | 目前] [是 | 有 | 为] [多少 | 多高 | 多大 | 几度 | 多少度 | 怎么样 | 如何 | 几 | 什么 | 高吗] [了 | 呢 | 啊]',
    '(查 | 查看 | 查询 | 读 | 读取 | 看 | 看看 | 告诉我 | 测 | 测量 | 报 | 报告 | 播报 | 念 | 显示 | 获取 | 知道 | 说说 | 问问 | 检查 | 检测) [现在 | 当前 | 目前 | 室内 | 屋里 | 房间] [的] <target> [现在] [是] [多少 | 几度 | 多高 | 多大]',
    '(现在 | 当前 | 目前) [有 | 是] (多少 | 什么) <target>',
  ],
  run: ['(执行 | 运行 | 启动 | 开始 | 触发 | 做 | 按) <target>', '<target>'],
}

function rows(
  table: Readonly<Record<Intent, readonly string[]>>,
  kind: Pick<Sentence, 'language' | 'heard'>,
): Sentence[] {
  const intents: readonly Intent[] = ['switch', 'level', 'color', 'choice', 'read', 'run']
  return intents.flatMap((intent) => table[intent].map((text) => ({ intent, text, ...kind })))
}

export const sentences: readonly Sentence[] = [
  ...rows(heardEnglish, { language: 'en', heard: true }),
  ...rows(typedEnglish, { language: 'en', heard: false }),
  ...rows(typedChinese, { language: 'zh', heard: false }),
]

export type Builtin = 'stop' | 'hello' | 'capabilities' | 'time'

/** Answered by the console itself, without a tool. The heard ones are also in the grammar. */
export const builtinSentences: readonly {
  readonly builtin: Builtin
  readonly language: SpokenLanguage
  readonly heard: boolean
  readonly text: string
}[] = [
  { builtin: 'stop', language: 'en', heard: true, text: 'stop | cancel' },
  {
    builtin: 'stop',
    language: 'en',
    heard: false,
    text: 'stop it | stop that | cancel that | never mind | nevermind | forget it | be quiet | quiet | shut up | stop talking | abort',
  },
  { builtin: 'hello', language: 'en', heard: true, text: 'hello' },
  {
    builtin: 'hello',
    language: 'en',
    heard: false,
    text: 'hi | hey | hello there | hi there | good (morning | evening | afternoon)',
  },
  { builtin: 'capabilities', language: 'en', heard: true, text: 'what can you do' },
  {
    builtin: 'capabilities',
    language: 'en',
    heard: false,
    text: 'help | help me | what can i (say | do | ask) | what do you do | what are you able to do',
  },
  { builtin: 'time', language: 'en', heard: true, text: 'what time is it' },
  {
    builtin: 'time',
    language: 'en',
    heard: false,
    text: 'what time is it now | (what is | tell me | say) time [now] | tell me what time it is | time',
  },
  {
    builtin: 'stop',
    language: 'zh',
    heard: false,
    text: '停 | 停止 | 停下 | 停下来 | 取消 | 算了 | 别说了 | 不用了 | 闭嘴 | 安静 | 别说话',
  },
  { builtin: 'hello', language: 'zh', heard: false, text: '你好 | 您好 | 早上好 | 下午好 | 晚上好 | 早安 | 哈喽 | 嗨' },
  {
    builtin: 'capabilities',
    language: 'zh',
    heard: false,
    text: '你(能 | 会 | 可以)(做 | 干)(什么 | 啥 | 些什么) | 你会什么 | 你有什么功能 | 帮助 | 我(能 | 可以)说什么 | 有什么功能',
  },
  {
    builtin: 'time',
    language: 'zh',
    heard: false,
    text: '[现在 | 目前] 几点 [了 | 钟 | 钟了] | [现在] (什么时间 | 什么时候) [了] | [告诉我] [现在] [的] 时间 [是几点 | 是多少] | 告诉我几点 [了]',
  },
]
