// What the person wanted decides how much of an answer must be proved: after an order, almost every plain statement about
// it is a claim that it was done; after a question about the world, hardly any is.

/**
 * `order`: something is to be done. `state`: it is about a thing of the house. `talk`: about anything else. `past`: about
 * what was done before, so that its answer tells of other turns.
 */
export type ClaimContext = 'order' | 'state' | 'talk' | 'past'

/** What a sentence is judged by. `names`: of the device's tools, as text or as patterns. */
export interface Wanted<Name> {
  readonly names: readonly Name[]
  readonly context: ClaimContext
  /** Does this clause speak of what was asked for? */
  readonly echoes: (clause: string) => boolean
}

const han = /\p{Script=Han}/u

const englishQuestion =
  /^(?:what|which|who|whose|how|when|where|why|is|are|am|was|were|do (?:you|i|we|they|the|these|those|my)|does|did|have (?:you|i|we|they|the)|has|had|tell me|explain|describe|say|repeat|spell|translate|teach|help me understand|write|sing|recommend|suggest|any|thanks|thank|hello|hi|hey|good|bye|sorry|i already|i just|i have|i've|i (?!need|feed|want)(?:\w+ed|fed|shut|put|left|took|made|did|ran|lit)|i like|i love|never mind|can you (?:tell|explain|say|help)|could you (?:tell|explain)|do you|are you|should|shall|(?:can|could|will|would|may) (?:the|a|an|i|it|this|that|we))\b/
/** Talk whatever it names: a story may be about a lamp. */
const englishTelling =
  /^(?:translate|spell|sing|explain|why|who|say something)\b|\b(?:joke|story|stories|poem|riddle|fun fact|trivia)\b|\b(?:in|into) (?:english|french|spanish|german|chinese|japanese|italian)\b|^how (?:do|does|can|would|should) (?:i|you|one|we|a|an|the)\b/
const englishPast =
  /^(?:and |so )?what (?:if|happens|would happen)\b|^(?:so |and |hey |wait )*(?:did (?:you|we|i|the|it|my|that)|have (?:you|we|i))\b|^(?:so |and )*(?:what|when|why|who|how|which)(?: \w+){0,3}? (?:did|have|had) (?:you|we|i)\b|^(?:what|when|who) (?:was|were)\b|^(?:thanks|thank you|thx)(?: \w+){0,2} for\b|^(?:good|nice|great) (?:job|work)\b|\b(?:ago|did you (?:already|really)|earlier|last time|what happened|just do)\b/
const chineseTelling =
  /翻译|怎么说|什么意思|故事|笑话|历史|古诗|谜语|绕口令|儿歌怎么|^为什么|英语|^讲|^怎么(?!.*[了啦])/
const chinesePast =
  /刚才|刚刚|之前|昨[天晚]|上次|上一[轮次]|(?:你|您|都)[^，]{0,8}(?:干|做)[^，]{0,3}[了啥嘛吗么]|^你[^，]{0,10}(?:了没|了吗)|^谢谢[你您]?(?:帮|给|替|刚)|今天都/

/** What somebody said to have done: 弟弟说他喂过猫了. */
const chineseTold = /^[^，,]{1,6}(?:说|告诉我)[^，,]{0,12}(?:了|过)/

/** The person did it: what is said of it repeats their words. */
const englishTold =
  /^(?:(?:ok|okay|hey|oh|by the way|btw|fyi)[, ]+)*(?:i|we)(?:'ve| have| had)? (?:already |just )?(?!need|feed|want)(?:\w+ed|fed|shut|put|left|took|made|did|ran|lit)\b|^(?:the |my |our )?\w+(?: and \w+)? (?:has |have )?(?:already |just )?(?:said|says|told|turned|closed|opened|locked|switched|cancelled|finished|left|broke|fixed|took|made)\b/
const englishAddress =
  /^(?:(?:please|now|then|and|okay|ok|so|hey|hi|hello|roost|assistant|computer|um|well|can you|could you|would you|will you|can i (?:get|have)|could i (?:get|have)|may i have|can we|could we|let's|lets|i want you to|i want to|i'd like you to|i'd like to|i would like to|i need you to|i need to|go ahead and|just|quickly|kindly)[ ,]+)+/
const englishDeed =
  /\b(?:turn|switch|set|put|make|change|adjust|dim|brighten|raise|lower|increase|decrease|reduce|open|close|shut|start|stop|pause|resume|play|mute|unmute|lock|unlock|add|remove|delete|cancel|create|schedule|remind|wake|water|run|announce|broadcast|tell (?:everyone|everybody|the class|them)|skip|snooze|send|save|note|remember|record|crank|move|give|more|less|louder|quieter|brighter|darker|warmer|cooler|hotter|colder|faster|slower|higher|up|down|on|off|full|half|next|light|some|timer|alarm|countdown|\d+)\b/

const chineseQuestion =
  /[吗么呢？?]$|什么|多少|几[点度个时]|怎么|怎样|为何|为什么|谁|哪|是不是|有没有|多[大久亮高远]|^(?:讲|说|介绍|解释|谢|你好|您好|早上好|晚上好|晚安|再见|翻译|推荐|建议|我(?:已经|喜欢|觉得|刚)|聊|教|背|唱|写|不用了|没事)/
/** A song may tell a story too. */
const chineseWish = /[播放]|来[首点]|打开|关|调|设|记/
const chineseDeed =
  /打开|开|关|调|设|换|改|播|放|停|暂停|继续|锁|解锁|加|添|记|定|订|删|取消|提醒|叫我|浇|广播|通知|告诉大家|拉|升|降|静音|大声|小声|[亮暗大小高低快慢热冷]一?点|下一|上一|变|把|来[首点]|闹钟|计时|前进|后退|左转|右转|[走转抓拍发喂洗扫煮]|\d+\s*(?:度|%|档|分钟)/

/** `names`: what the tools of the device are for, as people say it. */
export function contextOf(asked: string, names: readonly string[]): ClaimContext {
  const text = asked.normalize('NFKC').toLowerCase().replaceAll('’', "'").slice(0, 2000).trim()
  const parts = text.split(/(?<=[.!?。！？])\s*(?=\S)/).slice(0, 20)
  const whole = contextOfText(text, names)
  // "Good evening! Could you dim the light?" is an order.
  if (whole === 'order' || whole === 'past' || parts.length < 2) return whole
  return parts.some((part) => contextOfText(part, names) === 'order') ? 'order' : whole
}

function contextOfText(text: string, names: readonly string[]): ClaimContext {
  const isNamed = () => names.some((name) => name.length > 1 && text.includes(name))
  if (han.test(text)) {
    const bare = text
      .replace(/^(?:请|麻烦|帮我|帮忙|给我|你|能不能|可以|能|现在|那|嗯|好|快)+/, '')
      .replace(/[。！!，,]+$/, '')
    if (chinesePast.test(text)) return 'past'
    if (chineseTold.test(text)) return 'talk'
    if (chineseTelling.test(text) && !chineseWish.test(text)) return 'talk'
    if (/模式[。！!]?$/.test(bare)) return 'order'
    const isQuestion = chineseQuestion.test(text) || chineseQuestion.test(bare)
    if (!isQuestion && chineseDeed.test(bare)) return 'order'
    return isQuestion && !isNamed() ? 'talk' : 'state'
  }
  if (englishPast.test(text) && !/\b(?:please|can you|could you)\b/.test(text)) return 'past'
  const bare = text.replace(englishAddress, '')
  if (englishTold.test(text) && !/\b(?:please|can you|could you)\b/.test(text)) return 'talk'
  if (englishTelling.test(bare) && !/^(?:play|turn|set|start|put)\b/.test(bare)) return 'talk'
  if (!englishQuestion.test(bare) && !(bare === text && text.endsWith('?')) && englishDeed.test(bare)) return 'order'
  return englishQuestion.test(bare) && !isNamed() ? 'talk' : 'state'
}

const common = new Set(
  'the a an to of in on at is are it for and or my your you me i we please now can could would will that this with up down off by be do not no so just all one some set turn make put get let new want need from about there here have has as then'.split(
    ' ',
  ),
)

/** Does the answer speak of what was asked for: a word, or two neighbouring Chinese characters, in both? */
export function echoes(answer: string, asked: string): boolean {
  const text = asked.normalize('NFKC').toLowerCase()
  if (han.test(text)) {
    const said = new Set(pairsOf(text))
    return pairsOf(answer).some((pair) => said.has(pair))
  }
  const wanted = new Set(wordsOf(text))
  return wordsOf(answer).some((word) => wanted.has(word))
}

function pairsOf(text: string): string[] {
  const signs = Array.from(text)
  return signs.flatMap((sign, at) => {
    const next = signs[at + 1]
    return next !== undefined && han.test(sign) && han.test(next) ? [sign + next] : []
  })
}

function wordsOf(text: string): string[] {
  return text.split(/[^a-z0-9]+/).flatMap((word) => (word.length > 1 && !common.has(word) ? [stemOf(word)] : []))
}

/** Good enough to find "dim" in "dimming" and "curtain" in "curtains". */
function stemOf(word: string): string {
  return word
    .replace(/(?:ing|ed|es|s|er)$/, '')
    .replace(/(.)\1$/, '$1')
    .slice(0, 6)
}
