import type { Evidence } from './claim-evidence.ts'
import { holds, spaced } from './claim-words.ts'

/** What was put on a list, played, announced or sent has to be what the answer says it was. */
interface Item {
  readonly text: string
  /** Each part was claimed for itself ("milk and eggs"), or the whole may be told in other words. */
  readonly isListed: boolean
}

const han = /\p{Script=Han}/u
const span = '([^.;!?]{1,160}?)'
const listName = '(?:\\w+ ){0,3}(?:list|cart|basket|calendar|notes?|agenda|schedule|diary|playlist|queue)s?'
const where = `(?:to|on|onto|in|into|down) (?:the|your|our|my|class) ${listName}`

const english: readonly (readonly [RegExp, boolean])[] = [
  [new RegExp(`\\b(?:added|put|adding|putting|wrote|noted|jotted|popped) ${span} ${where}\\b`), true],
  [
    new RegExp(
      `^(?:.{0,40}[,!] )?${span} (?:is|are|'s|'re|has been|have been|was|were)(?: both| all| now| also| already| safely)* (?:added|on|in|written|noted|put)(?: (?:to|on|in|down|onto))? (?:the|your|our|my) ${listName}\\b`,
    ),
    true,
  ],
  [new RegExp(`^(?:.{0,30}[,!] )?${span} (?:added|noted)(?: to (?:the|your|our|my) ${listName})?[.!]*$`), true],
  [new RegExp(`\\b(?:i've|i have|i) (?:just )?added ${span}(?: for you)?[.!]*$`), true],
  [/\b(?:removed|deleted|erased|crossed off) ([^.;!?]{1,100}?) (?:from|off)\b/, true],
  [
    /^(?:.{0,30}[,!] )?([^.;!?]{1,100}?) (?:is|are|was|were|has been|have been) (?:now )?(?:removed|deleted|gone|off|crossed|taken off)\b(?: (?:from|off))? (?:the|your|our|my) (?:\w+ ){0,2}list/,
    true,
  ],
  [/\bnow playing: ?([^.;!?]{1,100})/, true],
  [/\b(?:now playing|playing|queued up|put on|started playing)[ :]+["“]?([^.;!?"”]{1,100})/, false],
  [
    /^(?:.{0,20}[,!] )?([^.;!?]{1,60}?) (?:playlist|album|mix|station|podcast|audiobook) is (?:now )?(?:on|up|playing)\b/,
    false,
  ],
  [/^(?:.{0,20}[,!] )?["“]?([^.;!?"”]{1,80})["”]? is (?:now )?playing\b/, false],
  [
    /\b(?:announced|told (?:everyone|everybody|the class|them|all)|broadcast(?:ed)?|let (?:everyone|everybody|the class|them) know)(?: that| to|:)? ([^.;!?]{1,160})/,
    false,
  ],
  [/\b(?:message|text|announcement|reminder|note|notification)\b[^:.]{0,40}: ?["“]?([^.;!?"”]{1,160})/, true],
  [/\bremind(?:er|ing)?\b[^.:]{0,40}? (?:to|about) ([^.;!?]{1,100})/, false],
  [/\b(?:noted|jotted|written|wrote|saved)(?: down)?(?: a note)? (?:that |about )([^.;!?]{1,160})/, false],
  [/\b(?:reads?|says?|displays?|displaying|spells?|scrolling) (?:now )?["“']?([^.;!?"”,]{1,80})/, true],
  [
    /^(?:.{0,30}[,!] )?(?:noted|saved|note saved|added|logged|recorded|jotted down)(?: (?:to|in|on) (?:the|your|my|our) \w+(?: \w+)?)?: ?([^.;!?]{1,160})/,
    true,
  ],
  [/["“]([^"”]{1,160})["”]/, true],
]

const chineseEnd = '(?:了|啦|好|咯|喽|$|[。！!，,])'
const chinese: readonly (readonly [RegExp, boolean])[] = [
  [/(?:显示|写着|打出|滚动着)(?:的是|着|了)?[“"「]?([^,，。!！”"」]{1,30})/, true],
  [/[把将]([^,，。!！]{1,40}?)(?:都|也|全|一起)*(?:加|添加|写|记|放|存|列)(?:到|进|在|入|上|好|下)/, true],
  [
    /^(?:[^,，。!！]{0,6}[,，!！])?([^,，。!！]{1,40}?)(?:都|也|全|已经?|已|给[您你]|帮[您你]|为[您你]|被)*(?:加|添加|写|记|存|列)(?:到|进|在|入|上|好|下)/,
    true,
  ],
  [
    new RegExp(
      `(?:已经?|给[您你]|帮[您你]|为[您你])?(?:添加|加上|加了|记下|记了|备注)(?:了)?[：:]?([^,，。!！：:的]{1,40}?)${chineseEnd}`,
    ),
    true,
  ],
  [/(?:播放|放的是|放上|放起|来一首|点播)(?:了|的是)?(?:一首|一曲)?([^,，。!！]{1,30})/, false],
  [/记(?:好|下|住|上)?(?:了|啦)?[：:]([^。!！]{1,60})/, true],
  [/(?:广播|通知|转告|告诉|提醒|消息|公告|备忘)[^,，。!！：:]{0,8}[：:]([^。!！]{1,60})/, true],
  [/[《「“"]([^》」”"]{1,60})[》」”"]/, true],
]

/** Words that stand for anything: "the item", 您说的. */
const generic = new Set(
  'item items thing things stuff them it that this those these everything both all one ones two three list lists shopping cart grocery groceries song songs music track tune tunes playlist album some something piece note notes reminder reminders event events appointment task tasks entry message messages announcement again more another you your yours for from by and or with the a an my our new right now next back on to of in at as is are so just already also i ve ll re have has been be do did can will everyone everybody class whole first second favorite favourite requested request asked order done safely successfully good great nice little bit fun classic smooth soft gentle relaxing calm background soothing beautiful lovely mix tomorrow today tonight morning evening afternoon am pm o clock minutes hours'.split(
    ' ',
  ),
)
const chineseGeneric =
  /您要的|你要的|您说的|你说的|这些|下来|起来|到|进|入|在|来|下|上|好|那些|东西|物品|全部|所有|它们?|购物|清单|列表|歌曲|音乐|一首|这首|歌|曲子|提醒|消息|事项|日程|待办|备忘录?|笔记|内容|两样|三样|都|也|已经|已|好的|好嘞|没问题|收到|了|啦|帮|给|为|您|你|把|将|的|正在|现在|我|明天|今天|后天|明早|今晚|早上|晚上|上午|下午|舒缓|轻松|好听|经典|一些|几首|[零一二三四五六七八九十两\d]+[点分个瓶盒袋包斤颗打箱份杯半]*/g

/** Does the answer name an item that no call has? `asked`: what the person said, in lower case. */
export function deniesItem(sentence: string, evidence: readonly Evidence[], asked: string): boolean {
  const texts = evidence
    .flatMap(({ free }) => free.map(({ text }) => text))
    .filter((text) => /\p{L}{2}|\p{Script=Han}/u.test(text))
  if (texts.length === 0) return false
  const done = evidence.map(({ name, values }) => `${name} , ${values}`).join(' , ')
  return itemsIn(sentence).some(({ text, isListed }) => {
    const held = texts.filter((one) => han.test(one) === han.test(text))
    if (held.length === 0) return false
    if (isListed) return partsOf(text).some((part) => contentOf(part).length > 0 && !shares(part, done))
    if (contentOf(text).length === 0 || shares(text, done)) return false
    // Told in other words, or another thing? What was asked for and not called is another thing.
    return shares(text, asked) && !held.some((one) => shares(one, asked))
  })
}

function itemsIn(sentence: string): Item[] {
  const rules = han.test(sentence) ? chinese : english
  return rules.flatMap(([rule, isListed]) => {
    const found = [...sentence.matchAll(new RegExp(rule, 'g'))].slice(0, 10)
    return found.flatMap(({ 1: text }) =>
      text === undefined ? [] : [{ text: text.replace(/,? \b(?:so|which|because|since|that) .*$/, ''), isListed }],
    )
  })
}

function partsOf(text: string): string[] {
  return text.split(han.test(text) ? /[、,，和与跟及]|以及|还有/ : /,| and | & | plus |\bas well as\b/)
}

/** Words of an English text, neighbouring signs of a Chinese one, without those that stand for anything. */
function contentOf(text: string): string[] {
  if (han.test(text)) {
    const signs = Array.from(text.replace(chineseGeneric, ' ').replace(/[^\p{L}\p{N}]/gu, ' '))
    const bare = signs.join('').trim()
    if (Array.from(bare).length === 1) return [bare]
    return signs.flatMap((sign, at) => {
      const next = signs[at + 1]
      return next !== undefined && sign !== ' ' && next !== ' ' ? [sign + next] : []
    })
  }
  return spaced(text)
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !generic.has(word))
}

function shares(part: string, text: string): boolean {
  const whole = spaced(text)
  return contentOf(part).some((word) => whole.includes(han.test(word) ? word : stem(word)) || holds(whole, word))
}

function stem(word: string): string {
  return ` ${word.replace(/(?:ies|es|s|ing|ed|y)$/, '')}`
}
