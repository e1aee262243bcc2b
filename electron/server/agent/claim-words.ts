// What an answer looks like that says something was done (features.md D2). Word lists, not a model: the check must not
// itself be talked into anything.

const participles =
  'turned|switched|set|changed|adjusted|dimmed|brightened|raised|lowered|increased|decreased|reduced|opened|closed|shut|started|stopped|paused|resumed|played|muted|unmuted|locked|unlocked|sent|added|created|scheduled|saved|deleted|removed|cancelled|canceled|activated|deactivated|enabled|disabled|moved|run|made|put|powered|toggled|updated|applied|snoozed|rung|announced|fed|watered|booked|noted|warmed|cooled|heated|queued|skipped|cranked|bumped|flipped|taken|brought|got|done|finished|completed|handled|sorted|executed|rebooted|restarted|reset|erased|wiped|recorded|stored|connected|dropped|cleared|sounded|begun|armed|killed|ended|lit|filled|pulled|rolled|drawn'
const gerunds =
  'turning|switching|setting|changing|adjusting|dimming|brightening|raising|lowering|increasing|decreasing|opening|closing|shutting|starting|stopping|pausing|playing|muting|locking|unlocking|sending|adding|creating|scheduling|saving|deleting|removing|cancelling|activating|enabling|disabling|moving|powering|cranking|bumping|flipping|resuming|unmuting|reducing|bringing|putting|warming|cooling|heating|queuing|rebooting|restarting|erasing|deleting|arming|booking|saving|toggling|updating'

/** Said as done, or as being done now, whatever it is about. */
export const englishClaims: readonly RegExp[] = [
  /^(?:there|here) you (?:go|are)$/,
  /\b(?:i|we)(?:'ve| have)? (?:\w+ )?(?:took|taken|take) care of\b/,
  new RegExp(`^(?:successfully|just|already|freshly) (?:${participles})\\b`),
  /^(?:mission|job|task|request|order|command)(?: is)? (?:accomplished|complete|completed|done|executed|carried out)$/,
  /^(?:(?:okay|ok|sure|and|now) )?(?:everything|all of (?:it|them)|they|both|it)(?:'s| is| are)(?: \w+){0,2}? (?:on|off|closed|set|done|running|playing|muted|locked|unlocked|shut)$/,
  new RegExp(
    `\\b(?:was|were) (?:${participles})\\b.*\\b(?:a moment ago|just now|as (?:you )?(?:asked|requested|wished)|for you)\\b`,
  ),
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
  'on|off|out|open|opened|closed|shut|glowing|shining|lit|bright|brighter|dim|dimmer|dark|darker|spinning|running|playing|muted|silent|quiet|louder|quieter|set|ready|cooling|heating|blowing|stopped|started|locked|unlocked|begun|down|up|red|green|blue|white|yellow|purple|orange|pink|half|full|maximum|minimum|max|\\d+'

/** What follows the name of a thing that a tool of this device is for: its state counts as a claim too. */
export const englishState = new RegExp(
  `^s?(?: \\w+){0,3}?(?::|'s|'re| is| are| has| have| should(?: now)? be| was just| shows?| went| goes(?! from)| glows?| spins?| runs?| at| to| up to)(?: \\w+){0,3}? (?:${states})\\b|^s?(?: just| now)* (?:started|stopped|began|ended|opened|closed|dimmed)$|^s? (?:on|off|out|set|started|stopped|paused|closed|opened|muted|dimmed|adjusted|raised|lowered|changed)(?: (?:to|for|at|up|down|on|off|now|successfully)\\b.*)?$`,
)

/** What is no claim of an own deed: questions, offers, refusals, advice, guesses, talk of others. */
export const englishExcuses: readonly RegExp[] = [
  /\?$|^(?:do|does|did|is|are|was|has|have|which|what|how|why|who|where|whose)\b/,
  /\b(?:can|could|would|should(?! (?:now |already |all )?be\b)|must|shall|may|might|will need|want me|like me|able to|let me know|to turn|how to|best to|better to|need to|have to|tell me)\b/,
  /\b(?:i'll|i will|i'm going to|going to|about to)\b/,
  /\b(?:not|n't|cannot|unable|failed|fails|never|nothing|no tool|without|unfortunately|tried|try|trying|attempt\w*|refused|rejected|timed out|error|still|went wrong)\b|n't\b/,
  /\b(?:maybe|perhaps|possibly|probably|possible|please|guess|suspect|wish|whether|hopefully|i think|i guess|i believe|it seems|apparently)\b/,
  /\b(?:you|he|she|they|someone|somebody|people|users)(?:'ve| have| had)? (?:just |already )?(?:turned|switched|set|changed|opened|closed|asked|said|told|left)\b/,
  /^(?:a|an|any|every|each|most|some|many) (?:[\w-]+ ){1,3}(?:that|which|is|are|can|uses?|moves?|has|have|sets?|gets?)\b/,
  /\b(?:usually|normally|often|always|generally|yesterday|last (?:night|week|time)|in general|typically|used to)\b/,
  /\b(?:was|were)\b(?! just)(?!.*\b(?:a moment ago|just now|as (?:you )?(?:asked|requested|wished)|for you)\b)/,
  new RegExp(`^(?:${gerunds})\\b.* (?:needs?|requires?|takes|helps|is|uses|costs|makes|means|saves|works?)\\b`),
  /\b(?:goes|ranges|runs|is) (?:anywhere )?from \d/,
  /\b(?:switches|turns|sets|opens|closes|starts|stops|plays|dims|would have)\b/,
  /^(?:check|ensure|remember|say|keep|wait|look|imagine|suppose)\b/,
  /\b(?:if|once|until|till|unless|whenever|before|in case|as soon as)\b/,
]

const chineseVerbs =
  '打开|关闭|关掉|关上|开启|调到|调成|调至|调高|调低|调亮|调暗|调整|调节|设为|设置|设定|设成|设好|切换|换成|改成|改为|修改|启动|停止|停掉|暂停|播放|静音|锁上|锁好|解锁|发送|添加|加入|创建|安排|保存|删除|移除|取消|激活|启用|禁用|移动|升高|降低|提高|增大|减小|拉开|拉上|[调升降加减放开关设改换拉转推提][大小高低亮暗慢快满到至上下好完]|[上下]调[至到]|开|关|记下|记录|执行|完成|定好|订好|清空|重启|浇水|喂食|预约|响铃|开好|关好|更新|处理|点亮|熄灭|打'

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
  /(?:[上下]?调|设|[增减][加大至]?|降|升|开)(?:至|到|为|成)\s*\d+(?:%|度|档|级)?[。！]?$/,
  /(?:放|开|转|响|亮|动|跑|吹|热|暖|凉)起来[了啦]/,
  /(?:搞定|完成|办好|弄好|做好|妥了|处理完|执行完毕|设置完毕|操作成功|完毕)(?:了|啦|哦)?[。！，]?/,
  /^(?:好的|好|行|没问题)?[，,]?(?:好了|妥了)/,
]

/** Said of a thing that a tool of this device is for. */
export const chineseStates =
  /(?:开着|关着|亮着|亮了|灭了|开了|关了|响了|停了|转了|转起来|起来了|是亮的|是关的|是开的|变成|变[红绿蓝白黄紫]|启动|打开|关闭|关掉|调到|设为|[红绿蓝白黄紫]色[了啦]|现在是|已经?是|[升降调]到)/

/** Whose deed it is, when that is said before the verb and is not the speaker. */
export const chineseDeedOf = new RegExp(
  `^((?:(?!我|已|帮|把|将|给|为|刚|正|就|好|行|都|全|也|又|现在|马上|立刻|成功)[\\p{Script=Han}]){2,6}?)(?:${chineseVerbs})了[\\p{Script=Han}\\d]`,
  'u',
)

export const chineseExcuses: readonly RegExp[] = [
  /[吗呢？?][。！]?$/,
  /(?:没(?!问题|关系|事)|未(?!来)|无法|不能|不会|不可以|不了|不开|不上|不到|失败|做不到|拒绝|超时|出错|报错|故障|出了问题|离线|不在线|试着|尝试)/,
  /(?<!不|学)会(?!议)/,
  /(?:也许|或许|可能|大概|应该是|不确定|不知道|不清楚|看不|好像|似乎|估计|猜)/,
  /(?:要不要|需要我|要我|是否|是不是|有没有|可以帮|能帮|可以为|可以告诉|请问|请(?!放心|慢|稍|享)|您可以|你可以|试试|建议|最好|必须|应当|需要|要求|希望|规定|不要|别忘)/,
  /(?<![帮为给替])(?:您|你|他|她|他们|有人|别人)(?:刚才|刚刚|已经|昨天|早上)?[^，。！？]{0,4}(?:打开|关闭|关掉|设置|调)[^，。！？]{0,6}了/,
]

/** Holds for all that follows in the sentence: conditions, stories, habits, others' words. */
export const carriedExcuses: readonly RegExp[] = [
  /^(?:(?:and|so|well|then|yes|no) )?(?:when|whenever|if|once|while|after|before|until|unless|in \d{4}|once upon|in (?:the|this|that|my) (?:film|movie|story|book|song|dream|play)|in case|suppose|imagine|for example)\b/,
  /\b(?:you|he|she|they|people)(?:'ve| have| had)? (?:just |already )?(?:said|asked|told|wrote|mentioned)\b|\bin (?:french|chinese|english|german|spanish|japanese)\b|\bmeans?\b/,
  /(?:从前|很久以前|有个人|有一[个天]|昨天|上次|通常|一般|平时|曾经|以前|过去|\d{4}年|故事|(?:电影|书|小说|歌|梦|视频|新闻|诗)[里中])/,
  /(?:如果|要是|的话|假如|只要|等(?:您|你|到)|以后|之前|之后|的时候|每当|万一|比如|例如)/,
  /(?:有些人|有的人|很多人|人们|大家都)/,
  /(?<![按照如])(?:您|你|他|她)(?:刚才|刚刚|上一句|之前)?(?:[^，。！？]{0,2})(?:说|问|要我|让我|叫我|告诉)(?!您|你)|[用的](?:英语|法语|中文|英文)|意思是/,
]
