import type { SpokenLanguage } from '../providers.ts'
import { normaliseNumbers } from './numbers.ts'

/** Characters; longer than any command or name. */
export const longestCommand = 200

const contractions: readonly (readonly [RegExp, string])[] = [
  [/\b(what|how|that|it|here)'s\b/g, '$1 is'],
  [/\bwhats\b/g, 'what is'],
  [/\bi'd\b/g, 'i would'],
  [/\bi'm\b/g, 'i am'],
  [/\blet's\b/g, 'let us'],
  // Before "a" is taken for an article.
  [/(?<=\d ?)([ap])m\b|\b([ap])(?:\. ?| )m\b\.?/g, '$1$2m'],
]

/** What punctuation means between numbers: a time of day, a sum, a date. Before punctuation goes. */
const signs = {
  en: [
    [/(?<=\d\s?)\*(?=\s?\d)|(?<=\d\s?)×(?=\s?\d)/g, ' times '],
    [/(?<=\d\s?)[÷/](?=\s?\d)/g, ' divided by '],
    [/(?<=\d\s?)\+(?=\s?\d)/g, ' plus '],
    [/(?<=\d)\s-\s(?=\d)/g, ' minus '],
    [/(?<=\d),(?=\d{3}(?!\d))/g, ''],
  ],
  zh: [
    [/(\d{1,2})[:：](\d{2})(?!\d)/g, '$1点$2分'],
    [/(?<=\d\s?)[*×x](?=\s?\d)/g, '乘以'],
    [/(?<=\d\s?)[÷/](?=\s?\d)/g, '除以'],
    [/(?<=\d\s?)\+(?=\s?\d)/g, '加'],
    [/(?<=\d\s?)-(?=\s?\d)(?!\d{2}-\d{2})(?<!\d{4}-\d{2})/g, '减'],
  ],
} as const

const han = '[零〇一二两三四五六七八九十]'
const dayPart = '凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|夜里|半夜|今晚|明早|明晚|今早'
/** Seven o'clock thirty is no decimal: 七点三十 → 7点30分 before 七点三 is read as 7.3. */
const chineseClock = new RegExp(
  `(?<!${han})(${han}{1,3})点(?:(${han}?十${han}?|[零〇]${han})分?|(${han}{1,3})分(?!之)|(?=[半钟整]|[一三]刻))`,
  'g',
)
const chineseOne = new RegExp(`(?<=${dayPart})一点(?![一二三四五六七八九十零〇两])`, 'g')

function chineseTimes(text: string): string {
  return text
    .replace(chineseClock, (_, hour: string, ...minutes: (string | undefined)[]) => {
      const said = minutes[0] ?? minutes[1]
      return `${normaliseNumbers(hour, 'zh')}点${said === undefined ? '' : `${normaliseNumbers(said.replace(/^[零〇]/, ''), 'zh')}分`}`
    })
    .replace(chineseOne, '1点')
}

/** Lower case, no punctuation, no articles, numbers as digits; English with single spaces, Chinese with none. */
export function normaliseWords(raw: string, language: SpokenLanguage): string {
  let text = raw.slice(0, longestCommand).normalize('NFKC').toLowerCase().replace(/[’‘]/g, "'")
  for (const [from, to] of signs[language]) text = text.replace(from, to)
  if (language === 'zh') {
    text = chineseTimes(text).replace(/(?<!\d)\.|\.(?!\d)|[^\p{L}\p{N}.%#-]+|(?<!\d)-(?!\d)/gu, '')
    return normaliseNumbers(text.replace(/一下子?(?!午)|一会儿?|一起/g, ''), 'zh')
  }
  for (const [from, to] of contractions) text = text.replace(from, to)
  text = text
    .replace(/(?<!\d)\.|\.(?!\d)|[^\p{L}\p{N}.'%#-]+/gu, ' ')
    .replace(/(?<=\p{L})-|-(?!\d)/gu, ' ')
    .replace(/\b(?:the|a|an|my|our|this|that|these|those|please|just)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return normaliseNumbers(text, 'en')
}

const politeStart = {
  en: /^(?:hey|ok|okay|so|well|um|uh|now|then|and|alright|can you|could you|would you|will you|can we|could we|can i have|could i have|can i get|would you mind|do you mind|i want you to|i would like you to|i would like to|i would like|i want to have|i want to|i want|i need you to|i need|let us|let me have|go ahead and|kindly|quickly|roost|robot|assistant|computer|give me|hello|hi|try to|help me|help me to|be so kind and) (?=.)/,
  zh: /^(?:请问|请你|请|帮我|帮忙|麻烦你?|给我|你好|您好|嗨|嘿|小智|那么?|现在|我想要?|我要|我想让你|我需要|你|快点?|赶紧|立刻|马上|再|嗯|喂|好的|劳驾)(?=.)/,
} as const
const politeEnd = {
  en: / (?:thanks|thank you|for me|now|right now|ok|okay|would you|will you|can you|immediately|at once|in here|here|then|if you can|if you could|if you do not mind|right away|buddy|again|quickly|for us|today|would be nice|will you)$/,
  zh: /(?:吧|呀|啊|呢|哦|好吗|好不好|可以吗|行吗|行不行|谢谢你?|啦|嘛|哈|好么|多谢)$/,
} as const
const gerunds: Readonly<Record<string, string>> = {
  turning: 'turn', switching: 'switch', setting: 'set', making: 'make', changing: 'change', putting: 'put', telling: 'tell',
  reading: 'read', dimming: 'dim', raising: 'raise', lowering: 'lower', starting: 'start', stopping: 'stop', opening: 'open', closing: 'close',
} // prettier-ignore

/**
 * The command inside a polite sentence ("could you … please", 麻烦帮我…一下好吗). A text that is nothing but politeness
 * keeps its last part.
 */
export function stripPoliteness(text: string, language: SpokenLanguage): string {
  let left = text
  const asks = /^(?:能不能|可不可以|能否|可否|可以|能)(?=.)/
  for (let round = 0; round < 8; round++) {
    const before = left
    left = left.replace(politeStart[language], '').replace(politeEnd[language], '')
    if (language === 'zh' && asks.test(left)) left = left.replace(asks, '').replace(/吗$/, '')
    if (left === before) break
  }
  if (language === 'zh') return left
  return left.replace(/^(\w+ing)(?= )/, (word) => gerunds[word] ?? word)
}
