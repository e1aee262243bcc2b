// What an answer looks like that says something was done (features.md D2). Word lists, not a model: the check must not
// itself be talked into anything.

const participles =
  'turned|switched|set|changed|adjusted|dimmed|brightened|raised|lowered|increased|decreased|reduced|opened|closed|shut|started|stopped|paused|resumed|played|muted|unmuted|locked|unlocked|sent|added|created|scheduled|saved|deleted|removed|cancelled|canceled|activated|deactivated|enabled|disabled|moved|run|made|put|powered|toggled|updated|applied|snoozed|rung|announced|fed|watered|booked|noted|warmed|cooled|heated|queued|skipped|cranked|bumped|flipped|taken|brought|got|done|finished|completed|handled|sorted|executed|rebooted|restarted|reset|erased|wiped|recorded|stored|connected|dropped|cleared|sounded'
const gerunds =
  'turning|switching|setting|changing|adjusting|dimming|brightening|raising|lowering|increasing|decreasing|opening|closing|shutting|starting|stopping|pausing|playing|muting|locking|unlocking|sending|adding|creating|scheduling|saving|deleting|removing|cancelling|activating|enabling|disabling|moving|powering'

/** Said as done, or as being done now, whatever it is about. */
export const englishClaims: readonly RegExp[] = [
  new RegExp(`\\b(?:i|we)(?:'ve| have)? (?:\\w+ ){0,4}?(?:${participles})\\b(?! up to| up here)`),
  new RegExp(`\\b(?:has|have) (?:now |just |already |also |successfully )*been (?:${participles})\\b`),
  new RegExp(
    `^(?:okay |ok |sure |alright |great |yes |there you go |no problem )*(?:just |now |successfully )?(?:${participles}|flipped|bumped) (?:the|your|my|it|that|to|off|on|up|down)\\b(?! better)`,
  ),
  new RegExp(`(?:^|\\b(?:i'm|i am|okay|ok|sure|alright|now|and) )(?:now )?(?:${gerunds})\\b`),
  /^(?:okay |ok |alright |sure |great |yes |there you go )*(?:all )?(?:done|set|finished|completed|sorted|handled)(?:$| (?:the|your|as|and) )/,
  /\b(?:it's|it is|that's|that is|all|consider it|got it) (?:all )?(?:done|set|taken care of|sorted|handled|finished)\b/,
  /^(?:okay |ok |alright |sure |great |yes )*(?:the |your )?(?:\w+ ){0,2}\w+:? (?:on|off|out|open|closed|unlocked|locked)(?: now)?$/,
  /^(?:okay |ok |alright |sure |great |yes |and )*(?:the|your|my) (?:\w+ ){1,2}(?:is|are|should be) (?:now |all )*(?:on|off|open|closed|set|locked|unlocked|muted|scheduled|playing|running|ready)\b/,
]

const states =
  'on|off|out|open|opened|closed|shut|glowing|shining|lit|bright|brighter|dim|dimmer|dark|darker|spinning|running|playing|muted|silent|quiet|louder|quieter|set|ready|cooling|heating|blowing|stopped|started|locked|unlocked|red|green|blue|white|yellow|purple|orange|pink|\\d+'

/** What follows the name of a thing that a tool of this device is for: its state counts as a claim too. */
export const englishState = new RegExp(
  `^s?(?: \\w+){0,3}?(?::|'s| is| are| should be| shows?| went| goes| glows?| spins?| runs?| at| to| up to)(?: \\w+){0,3}? (?:${states})\\b|^s? (?:on|off|out)$`,
)

/** What is no claim of an own deed: questions, offers, refusals, conditions, advice, talk of others. */
export const englishExcuses: readonly RegExp[] = [
  /\?$/,
  /\b(?:can|could|would|should(?! be (?:now )?(?:on|off|open|closed|set))|shall|may|might|will need|want me|like me|able to|let me know|if you|if i|when you|unless|before i|once you|to turn|how to)\b/,
  /\b(?:not|n't|cannot|unable|failed|never|nothing|no tool|without|unfortunately|sorry)\b/,
  /\b(?:you|he|she|they|someone|somebody|people|users)(?:'ve| have| had)? (?:just |already )?(?:turned|switched|set|changed|opened|closed|asked|said|told|left)\b/,
  /\b(?:a|an|any|every|each|most|some) \w+s? (?:that|which|is|are|can|uses?|moves?)\b/,
  /\b(?:usually|normally|often|always|generally|yesterday|last (?:night|week|time)|in general|typically|was|were|used to)\b/,
]

const chineseVerbs =
  '打开|关闭|关掉|关上|开启|调到|调成|调至|调高|调低|调亮|调暗|调整|调节|设为|设置|设定|设成|设好|切换|换成|改成|改为|修改|启动|停止|停掉|暂停|播放|静音|锁上|锁好|解锁|发送|添加|加入|创建|安排|保存|删除|移除|取消|激活|启用|禁用|移动|升高|降低|提高|增大|减小|拉开|拉上|开|关|记下|记录|执行|完成|定好|订好|清空|重启|浇水|喂食|预约|响铃|开好|关好|更新|处理|点亮|熄灭|打'

/** 已…, …了, …好了, 正在…, and short answers that say "done". */
export const chineseClaims: readonly RegExp[] = [
  new RegExp(
    `(?:已经|已|刚刚|这就|马上|立刻|正在|成功)(?:为您|为你|帮您|帮你|给您|给你|替您|将|把)*[^，。！？]{0,14}?(?:${chineseVerbs})(?!始)`,
  ),
  new RegExp(`(?:${chineseVerbs})(?:好|完|上|掉|到|成|为)?[^，。！？吗呢就]{0,10}[了啦](?:哦|呀|啊)?[。！，]?$`),
  new RegExp(
    `(?:我|帮您|帮你|为您|为你|给您|给你|把|将)[^，。！？]{0,14}(?:${chineseVerbs})[^，。！？就]{0,10}(?:了|啦|好|完)`,
  ),
  new RegExp(`(?:${chineseVerbs}|设)好了`),
  /(?:搞定|完成|办好|弄好|做好|妥了|处理完|执行完毕|设置完毕|操作成功|完毕)(?:了|啦|哦)?[。！，]?/,
  /^(?:好的|好|行|没问题)?[，,]?(?:好了|妥了)/,
]

/** Said of a thing that a tool of this device is for. */
export const chineseStates =
  /(?:开着|关着|亮着|亮了|灭了|开了|关了|响了|停了|转了|转起来|起来了|是亮的|是关的|是开的|变成|变[红绿蓝白黄紫]|启动|打开|关闭|关掉|调到|设为|[红绿蓝白黄紫]色[了啦]|现在是|已是)/

export const chineseExcuses: readonly RegExp[] = [
  /[吗呢？?][。！]?$/,
  /(?:没有|没能|没法|未能|未|无法|不能|不会|不可以|不了|失败|抱歉|对不起|做不到|还没)/,
  /(?:要不要|需要我|要我|是否|可以帮|能帮|可以为|可以告诉|请问|如果|要是|的话|假如|只要|等您|等你|您可以|你可以|试试|建议)/,
  /(?<![帮为给替])(?:您|你|他|她|他们|有人|别人)(?:刚才|刚刚|已经|昨天|早上)?[^，。！？]{0,4}(?:打开|关闭|关掉|设置|调)[^，。！？]{0,6}了/,
  /(?:从前|很久以前|有个人|有一|昨天|上次|通常|一般|平时|曾经|以前)/,
]
