import { errorText, isErrorCode } from '../../../contract/errors.ts'
import type { ToolCall, ToolVersion } from '../../../contract/tool.ts'
import type { SpokenLanguage } from '../providers.ts'
import type { IntentCall } from './intent-matcher.ts'
import type { Outside } from './slots.ts'
import { spokenTool } from './spoken-tool.ts'

/** One thing to say; `cacheable` when the same words come again and again. */
export interface Reply {
  readonly text: string
  readonly cacheable: boolean
}

const texts = {
  done: { en: 'Okay, done.', zh: '好的，已完成。' },
  stopped: { en: 'Okay.', zh: '好的。' },
  hello: { en: 'Hello! What can I do for you?', zh: '你好！需要我做什么？' },
  'not-understood': { en: 'Sorry, I did not understand that.', zh: '抱歉，我没听懂。' },
  unreachable: {
    en: "I can't reach that board's tools right now. Nothing was changed.",
    zh: '现在连不上这块板子的工具，什么都没有改变。',
  },
  timeout: {
    en: 'The board did not answer in time. It may have happened anyway.',
    zh: '板子没有及时回答，动作可能已经执行。',
  },
  left: { en: 'The board left before it answered.', zh: '板子在回答之前断开了。' },
  refused: { en: 'That is not allowed right now.', zh: '现在不允许这样做。' },
  arguments: { en: 'That value does not fit this tool.', zh: '这个数值不适合这个工具。' },
  busy: { en: 'The board is busy. Please try again in a moment.', zh: '板子正忙，请稍后再试。' },
  failed: { en: 'The board could not do that.', zh: '板子没能完成。' },
  cancelled: { en: 'Okay, cancelled.', zh: '好的，已取消。' },
  'no-tools': {
    en: 'This board has no tools yet. I can tell you the time.',
    zh: '这块板子还没有工具。我可以告诉你时间。',
  },
} as const
export type FixedPhrase = keyof typeof texts

export function fixedPhrase(name: FixedPhrase, language: SpokenLanguage): Reply {
  return { text: texts[name][language], cacheable: true }
}

/** Which time or day there is none of, as it was said. */
export function impossibleReply(said: string, what: 'time' | 'date', language: SpokenLanguage): Reply {
  const shown = said.charAt(0).toUpperCase() + said.slice(1)
  const en = what === 'time' ? 'is no time of day' : 'is no date'
  const zh = what === 'time' ? '这个时间' : '这一天'
  const text = language === 'en' ? `${shown} ${en}. Please say another.` : `没有${said}${zh}，请换一个。`
  return { text, cacheable: false }
}

const textsIn = { en: 'en', zh: 'zh-CN' } as const
const byCode: Readonly<Record<string, FixedPhrase>> = {
  'tool-unreachable': 'unreachable',
  'tool-unknown': 'unreachable',
  'tool-disconnected': 'left',
  'tool-timeout': 'timeout',
  'tool-bad-arguments': 'arguments',
  'tool-too-many': 'busy',
  'tool-cancelled': 'cancelled',
}

/** What is said after a call that did not end well; the error code knows more than the outcome. */
export function failureReply(
  outcome: Exclude<ToolCall['outcome'], 'ok'>,
  code: string | undefined,
  language: SpokenLanguage,
): Reply {
  const text =
    code !== undefined && isErrorCode(code) && code.startsWith('helper-')
      ? errorText(code, textsIn[language])
      : undefined
  // Nothing of it is the board's fault: what a built-in tool says of itself is clearer.
  if (text) return { text: language === 'en' ? `${text.headline}.` : `${text.headline}。`, cacheable: true }
  return fixedPhrase((code === undefined ? undefined : byCode[code]) ?? outcome, language)
}

const unitWords = {
  en: { degrees: ' degrees', percent: ' percent', none: '' },
  zh: { degrees: ' 度', percent: '%', none: '' },
} as const

/** What may be set, where a person asked for more or less: nothing was called. */
export function rangeReply({ min, max, unit }: Outside, language: SpokenLanguage): Reply {
  const [low, high] = [min, max].map((end) => (end === undefined ? undefined : String(Math.round(end * 100) / 100)))
  const end = unitWords[language][unit ?? 'none']
  const text =
    language === 'en'
      ? low === undefined
        ? `I can only set up to ${high ?? ''}${end}.`
        : `I can only set ${low}${high === undefined ? `${end} or more` : ` to ${high}${end}`}.`
      : low === undefined
        ? `只能设到 ${high ?? ''}${end}。`
        : `只能设 ${low} ${high === undefined ? `${end.trim()}以上` : `到 ${high}${end}`}。`
  return { text, cacheable: false }
}

/** The object that a call returned, also from inside an MCP CallToolResult. */
function resultFields(result: unknown): Readonly<Record<string, unknown>> {
  if (typeof result !== 'object' || result === null) return {}
  const fields = result as Readonly<Record<string, unknown>>
  const structured = fields['structuredContent']
  return typeof structured === 'object' && structured !== null
    ? (structured as Readonly<Record<string, unknown>>)
    : fields
}

/** Numbers from here on, and those that are none, cannot be said in a way that a person would understand. */
const maxSpoken = 1e9
const isUnspeakable = (value: unknown): boolean => typeof value === 'number' && !(Math.abs(value) < maxSpoken)

function spokenValue(value: unknown, language: SpokenLanguage): string | undefined {
  if (typeof value === 'number') {
    // Plain digits: rounded like this and below 1e9, String() never writes an exponent.
    return isUnspeakable(value) ? undefined : String(Math.round(value * 10) / 10)
  }
  if (typeof value === 'boolean') return language === 'en' ? (value ? 'on' : 'off') : value ? '开着' : '关着'
  return typeof value === 'string' && value.length <= 200 ? value : undefined
}

/** What people call this value of a choice: 制热 for "heat". Of an argument or of a field of the result. */
function valueName(
  tool: ToolVersion,
  { name, value, language }: { readonly name: string; readonly value: unknown; readonly language: SpokenLanguage },
): string | undefined {
  const names = Object.hasOwn(tool.speech.values, name) ? tool.speech.values[name] : undefined
  const key = String(value)
  return typeof value === 'string' && names && Object.hasOwn(names, key) ? names[key]?.[language][0] : undefined
}

/**
 * Where a tool's reply is looked up, most telling first: `NAME:VALUE` for a state that is off or a special value, then
 * `NAME` of a number or choice that was set, then `NAME:VALUE` of the rest, then `ok`.
 */
function replyKeys(call: Pick<IntentCall, 'arguments' | 'words'>): string[] {
  const entries = Object.entries({ ...call.arguments, ...call.words })
  const exact = entries.map(([name, value]) => `${name}:${String(value)}`)
  const off = exact.filter((key) => key.endsWith(':false'))
  const values = entries.filter(([, value]) => typeof value !== 'boolean')
  return [
    ...off,
    ...values.map(([name, value]) => `${name}:${String(value)}`),
    ...values.map(([name]) => name),
    ...exact,
    'ok',
  ]
}

/** The sentence after a good call, from the tool's own templates or, without them, from its name and what came back. */
export function successReply(call: IntentCall, result: unknown, language: SpokenLanguage): Reply {
  const fields = resultFields(result)
  // A microcontroller says "true" when it did it; any other word is its answer, and not that it was done.
  const isSet = call.tool.origin === 'uart' && Object.keys(call.arguments).length > 0
  if (isSet && fields['status'] !== 'ok') return answerReply(call.tool, fields, language)
  const values = { ...fields, ...call.arguments, ...call.words }
  const templates = call.tool.speech.reply
  const key = replyKeys(call).find((name) => Object.hasOwn(templates, name))
  const template = key === undefined ? undefined : templates[key]?.[language]
  if (template !== undefined && namesIn(template).some((name) => isUnspeakable(values[name]))) {
    return fixedPhrase('failed', language)
  }
  const filled = template === undefined ? undefined : fillTemplate(template, values, { tool: call.tool, language })
  return filled ?? plainReply(call.tool, fields, language)
}

function answerReply(tool: ToolVersion, { value }: Readonly<Record<string, unknown>>, language: SpokenLanguage): Reply {
  const said = spokenValue(value, language)
  if (said === undefined || said.trim() === '') return fixedPhrase('failed', language)
  const name = displayName(tool, language)
  return { text: language === 'en' ? `The ${name} answered: ${said}.` : `${name}回答：${said}。`, cacheable: false }
}

const namesIn = (template: string): string[] => Array.from(template.matchAll(/\{(\w+)\}/g), (match) => match[1] ?? '')

/** Undefined when a value is missing: half a sentence is worse than a plain one. */
function fillTemplate(
  template: string,
  values: Readonly<Record<string, unknown>>,
  { tool, language }: { readonly tool: ToolVersion; readonly language: SpokenLanguage },
): Reply | undefined {
  const names = namesIn(template)
  const said = new Map(
    names.map((name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      return [name, valueName(tool, { name, value, language }) ?? spokenValue(value, language)]
    }),
  )
  if ([...said.values()].includes(undefined)) return undefined
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => said.get(name) ?? '')
  // A number or a free text is new each time; only sentences without a gap are worth keeping.
  return text.trim() === '' ? undefined : { text, cacheable: names.length === 0 }
}

function plainReply(tool: ToolVersion, fields: Readonly<Record<string, unknown>>, language: SpokenLanguage): Reply {
  // Of a command such a number is a detail (a timestamp, say); of a reading it is the answer.
  const isRead = spokenTool(tool, language).intents.includes('read')
  const told = Object.entries(fields).find(
    ([name, value]) =>
      !['status', 'isError', 'content'].includes(name) &&
      (spokenValue(value, language) !== undefined || (isRead && isUnspeakable(value))),
  )
  if (told && isUnspeakable(told[1])) return fixedPhrase('failed', language)
  if (!told) return fixedPhrase('done', language)
  const name = displayName(tool, language)
  const value = valueName(tool, { name: told[0], value: told[1], language }) ?? spokenValue(told[1], language) ?? ''
  return { text: language === 'en' ? `The ${name} is ${value}.` : `${name}是${value}。`, cacheable: false }
}

function displayName(tool: ToolVersion, language: SpokenLanguage): string {
  return (
    tool.speech.target[language][0] ??
    spokenTool(tool, language).targets.keys().next().value ??
    tool.name.replaceAll('_', ' ')
  )
}

function listOf(names: readonly string[], language: SpokenLanguage): string {
  const [and, comma] = language === 'en' ? [' and ', ', '] : ['和', '、']
  const said = names.slice(0, 8).map((name) => (language === 'en' ? `the ${name}` : name))
  return said.length < 2 ? (said[0] ?? '') : `${said.slice(0, -1).join(comma)}${and}${said.at(-1) ?? ''}`
}

const houseSkills = {
  en: ' I also keep timers, alarms, reminders, lists and the calendar, and do sums.',
  zh: '我还能计时、设闹钟和提醒、记清单和日程，也会算数。',
} as const

export function capabilitiesReply(tools: readonly ToolVersion[], language: SpokenLanguage): Reply {
  const isRead = (tool: ToolVersion): boolean => spokenTool(tool, language).intents.includes('read')
  // The house's own tools are many and the same everywhere: one sentence for them.
  const own = tools.filter((tool) => tool.origin !== 'builtin')
  const named = (read: boolean): string[] => [
    ...new Set(own.filter((tool) => isRead(tool) === read).map((tool) => displayName(tool, language))),
  ]
  const controls = named(false)
  const reads = named(true).filter((name) => !controls.includes(name))
  const house = own.length < tools.length ? houseSkills[language] : ''
  if (controls.length + reads.length === 0)
    return house === '' ? fixedPhrase('no-tools', language) : { text: house.trim(), cacheable: true }
  const can = language === 'en' ? ['I can control ', 'tell you ', ', and '] : ['我可以控制', '告诉你', '，还可以']
  const parts = [
    controls.length > 0 ? `${can[0] ?? ''}${listOf(controls, language)}` : '',
    reads.length > 0
      ? `${controls.length > 0 ? '' : language === 'en' ? 'I can ' : '我可以'}${can[1] ?? ''}${listOf(reads, language)}`
      : '',
  ].filter((part) => part !== '')
  return { text: `${parts.join(can[2])}${language === 'en' ? '.' : '。'}${house}`, cacheable: false }
}

/** The time of day in the server's time zone. */
export function timeReply(now: Date, language: SpokenLanguage): Reply {
  const minutes = now.getMinutes()
  if (language === 'zh') {
    const rest = minutes === 0 ? '整' : `${minutes < 10 ? '零' : ''}${minutes}分`
    return { text: `现在是${now.getHours()}点${rest}。`, cacheable: false }
  }
  const clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' }).format(now)
  return { text: `It is ${clock.replace(/\s+/g, ' ')}.`, cacheable: false }
}

/** Everything that is said word for word again and again: for Speaking.warm before the first turn. */
export function fixedPhrases(
  tools: readonly ToolVersion[],
  languages: readonly SpokenLanguage[] = ['en', 'zh'],
): { text: string; language: SpokenLanguage }[] {
  return languages.flatMap((language) => {
    const own = tools.flatMap(({ speech }) => Object.values(speech.reply).map((reply) => reply[language]))
    const fixed = own.filter((text) => !/\{\w+\}/.test(text) && text.trim() !== '')
    const all = new Set([...Object.values(texts).map((text) => text[language]), ...fixed])
    return [...all].map((text) => ({ text, language }))
  })
}
