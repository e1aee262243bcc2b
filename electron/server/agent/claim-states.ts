import { type Evidence, type Figure, membersOf, propertiesOf } from './claim-evidence.ts'

const inverse = /lock|close|shut|mute|off|stop|pause|disable/i
const switches =
  /^(?:on|power|powered|state|status|enabled?|enable|active|open|opened|unlocked|playing|running|light|switch|value)$/i
const scale = /bright|position|volume|level|speed|percent|opening|intensity|dim/

const stateWords: Record<string, boolean> = {
  ...Object.fromEntries(
    'on open opened unlock unlocked start started play playing resume unmute enable enabled raise up run'
      .split(' ')
      .map((word) => [word, true]),
  ),
  ...Object.fromEntries(
    'off close closed shut lock locked stop stopped pause paused mute muted disable disabled lower down'
      .split(' ')
      .map((word) => [word, false]),
  ),
}

/** Open, on, going: true. Closed, off, locked, silent: false. Undefined: the call holds no such state. */
function stateOf({ call, tool, figures }: Evidence): boolean | undefined {
  const entries = Object.entries(call.arguments)
  const flags = entries.filter(([, value]) => typeof value === 'boolean')
  const main = flags.length === 1 ? flags[0] : flags.find(([key]) => switches.test(key))
  if (main) return inverse.test(main[0]) && !/unlock|unmute/i.test(main[0]) ? main[1] !== true : main[1] === true
  if (flags.length > 0) return undefined
  const words = entries.flatMap(([, value]) => (typeof value === 'string' ? [stateWords[value.toLowerCase()]] : []))
  const named = words.find((word) => word !== undefined)
  if (named !== undefined) return named
  // One of the other modes of a tool that can be off.
  if (entries.some(([key, value]) => typeof value === 'string' && canBeOff(tool, key))) return true
  const amount = figures.find((figure) => scale.test(figure.key))
  if (amount) return amount.value > 0 ? (isPartial(amount) ? undefined : true) : false
  // To run for no time is to stop.
  if (figures.some(({ value }) => value === 0)) return undefined
  const verbs = tool.name.toLowerCase().split(/[^a-z]+/)
  return verbs.map((verb) => stateWords[verb]).find((word) => word !== undefined)
}

function canBeOff(tool: Evidence['tool'], key: string): boolean {
  const schema = propertiesOf(tool).get(key)
  return schema !== undefined && membersOf(schema).includes('off')
}

/** A curtain at half is open and closed. */
function isPartial(figure: Figure): boolean {
  return /position|opening/.test(figure.key) && figure.value < (figure.maximum ?? 100)
}

const on =
  /\b(?:on|open|opened|opening|unlock(?:ed|ing)|unmuted|enabled|activated|lit|glowing|spinning|playing|running|started|resumed)\b|打开|开启|开了|开着|已开|都开|亮了|亮着|亮起|点亮|启动|开好|解锁|拉开|恢复播放|转起来|动起来/
const off =
  /\b(?:off|closed|closing|shut|shutting|locked|locking|muted|disabled|deactivated|stopped|paused|extinguished|drawn(?! back| open| up))\b|关闭|关掉|关了|关上|关着|已关|都关|灭了|熄灭|停掉|停了|已停|断电|断开|停止|暂停|关好|上锁|锁上|锁好|锁住|静音|合上|拉上/

/** On or off, open or closed, as a clause says it; undefined when it says both or none. */
function stateIn(clause: string): boolean | undefined {
  const bare = clause
    // A place, a day or a level, and no state.
    .replace(
      /(?<!\b(?:turn|turned|turning|switch|switched|switching|power|powered|put|putting|flipped|flipping)) on (?=(?:the|your|our|my|a|an|its|level|low|high|medium|speed|channel|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d)\b)/g,
      ' ',
    )
    .replace(/\boff (?:you go|we go|to)\b|\bopen (?:up )?to\b/g, ' ')
  const [isOn, isOff] = [on.test(bare), off.test(bare)]
  return isOn === isOff ? undefined : isOn
}

/** Is a state said that every call with a state denies? */
export function deniesState(clause: string, evidence: readonly Evidence[]): boolean {
  const said = stateIn(clause)
  if (said === undefined) return false
  const states = evidence.map(stateOf).filter((state) => state !== undefined)
  return states.length > 0 && !states.includes(said)
}

const whole =
  /\b(?:fully|all the way|wide open|completely|maximum|max|full (?:blast|power|speed|volume|brightness))\b|全开|完全|最大|最高|最亮|全部拉|拉满|开到底/
const least = /\b(?:minimum|lowest|dimmest|quietest)\b|最小|最低|最暗/

/** Up and down are told only of what was sent up or down: a volume goes down too. */
export function deniesHeight(clause: string, evidence: readonly Evidence[]): boolean {
  const ways = evidence
    .flatMap(({ call }) => Object.values(call.arguments))
    .filter((value) => value === 'up' || value === 'down')
  const isUp = /\b(?:up|raised|raising|rising)\b|升|拉起|上升/.test(clause)
  const isDown = /\b(?:down|lowered|lowering|dropped)\b|降|放下|落/.test(clause)
  return ways.length > 0 && isUp !== isDown && !ways.includes(isUp ? 'up' : 'down')
}

/** All or nothing, said of a call that went half of the way. */
export function deniesExtent(said: string, evidence: readonly Evidence[]): boolean {
  const amounts = evidence.flatMap(({ figures }) => figures.filter(({ key }) => scale.test(key)))
  const shares = amounts.flatMap(({ value, minimum = 0, maximum }) => {
    const top = maximum ?? (value > 10 ? 100 : undefined)
    return top === undefined || top <= minimum ? [] : [(value - minimum) / (top - minimum)]
  })
  if (shares.length === 0) return false
  // "A tenth of full brightness" is not full.
  const clause = said.replace(/\bof (?:its |the )?(?:full|max(?:imum)?)\b/g, ' ')
  if (whole.test(clause)) {
    const isDown = stateIn(clause) === false || /\b(?:lower\w*|down|drawn|dropped)\b|降|放下|落|合/.test(clause)
    return isDown ? !shares.some((share) => share <= 0.1) : !shares.some((share) => share >= 0.85)
  }
  return least.test(clause) && !shares.some((share) => share <= 0.25)
}

const removal =
  /\b(?:removed|removing|deleted|deleting|cancell?ed|cancell?ing|cleared|clearing|erased|crossed)\b|删|取消|移除|清空|清除|划掉/
const adding = /\b(?:added|adding|created|creating|scheduled)\b|添加|加到|加进|加入|加上|新建|创建/
const remover = /remove|delete|cancel|clear|erase|dismiss|stop|off|disable|pop|reset|complete|uncheck|check/i
const adder = /add|create|set|start|schedule|append|save|new|play|send/i

/** Something is said to be gone that was added, or the other way round. */
export function deniesDeed(clause: string, evidence: readonly Evidence[]): boolean {
  const isRemoved = ({ call, tool }: Evidence) =>
    remover.test(tool.name) ||
    Object.entries(call.arguments).some(
      ([key, value]) =>
        remover.test(key) ||
        value === false ||
        (typeof value === 'string' && remover.test(value)) ||
        (typeof value === 'number' && value <= 0),
    )
  const isAdded = ({ tool }: Evidence) => adder.test(tool.name) && !/^(?:remove|delete|cancel|clear)/i.test(tool.name)
  if (removal.test(clause) && !adding.test(clause))
    return evidence.length > 0 && evidence.every((one) => isAdded(one) && !isRemoved(one))
  return (
    adding.test(clause) &&
    !removal.test(clause) &&
    evidence.length > 0 &&
    evidence.every(({ tool }) => /(?:^|_)(?:remove|delete|cancel|clear)/i.test(tool.name))
  )
}
