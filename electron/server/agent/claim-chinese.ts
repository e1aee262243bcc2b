// What a Chinese clause looks like that says something was done (features.md D2): a verb of doing with an aspect (已, 了,
// 好, 正在, 着) and nothing in front that makes it wished, possible or another's.

import type { Wanted } from './claim-context.ts'

const openers =
  /^(?:好嘞|好的|好哒|好的呀|好的呢|好滴|好呀|好吧|好啦|好了|好|嗯嗯|嗯|行|可以|没问题|没关系|当然|收到|明白|遵命|是的|对|那|哦|哈哈|您好|你好)(?=$|[，,])[，,]?/

/** Verbs that are deeds by themselves. */
const deeds =
  '打开|关闭|关掉|关上|关好|开启|开好|调到|调成|调至|调高|调低|调亮|调暗|调大|调小|调好|调整|调节|调回|设为|设置|设定|设成|设到|设好|切换|切到|换成|换到|换好|改成|改为|改到|修改|启动|停止|停掉|停下|暂停|恢复|播放|放上|静音|上锁|锁上|锁好|锁住|解锁|解开|发送|发出|发给|添加|加入|加进|加到|加上|加好|创建|新建|建好|安排|保存|存好|存入|删除|删掉|移除|取消|激活|启用|禁用|停用|移动|移到|升高|升起|升到|降低|降下|降到|提高|增大|减小|拉开|拉上|拉好|放下|收起|记下|记好|记到|记在|写进|写入|记录|执行|定好|定了|订好|订了|预订|清空|重启|浇水|浇完|喂食|预约|响铃|更新|处理|点亮|熄灭|弄好|弄亮|关小|开大|开到|通知|广播|唤醒|截图|截好|跳过|标记|归位|变为|变成|[拉开关升降移转放换改摇推]到|加大|减弱|加强|增强|上调|下调|加快|放慢|放完|调暖|调冷|调快|调慢|推上|推开|备好|存档|清除|清掉|撤销|撤掉|叫醒|告诉|告知|转告|发布|拉满|放起来|响起来|转起来|亮起来|动起来'
/** Verbs that are deeds only with 把, 帮您, 已, or the name of a thing in front. */
const plain = '开|关|放|锁|停|调|设|换|改|加|记|定|订|删|录|发|播|拉|浇|开始|转|变|灭|响|提醒|计时'
const end = '(?:了|啦|咯|喽|完毕|成功|好|完)(?:哦|呀|啊|哈|喔|噢|呢|哟)?$'

const claims: readonly RegExp[] = [
  /^(?:已经?|刚刚?)(?:给|为|帮|替|把|将)[^，]{2,30}(?:了|啦|好)/,
  /^(?:声音|音量|灯光|亮度|温度|风速|风)?(?:现在)?已经?[^，]{0,4}[大小亮暗高低快慢热冷暖凉轻][^，]{0,2}(?:一些|一点|点儿?)(?:了|啦)$/,
  new RegExp(
    `(?:已经|已|刚刚|刚|这就|马上|立刻|正在|正|成功)(?:为您|为你|帮您|帮你|给您|给你|替您|替你|将|把|都|全部|全)*[^，]{0,14}?(?:${deeds}|上锁|开始|(?:${plain})(?:好|上|掉|了|啦|着|$))(?!的)`,
  ),
  new RegExp(`(?:${deeds})(?:好|完|上|掉|到|成|为)?[^，]{0,12}(?:${end})`),
  new RegExp(
    `(?:为您|为你|帮您|帮你|给您|给你|替您|替你|我|把|将)[^，]{0,14}(?:${deeds}|${plain})[^，]{0,12}(?:${end})`,
  ),
  new RegExp(`(?:${deeds}|设|${plain})好(?:了|啦)`),
  new RegExp(`^(?:都|全|已经|已|也)*(?:${deeds}|${plain})(?:好|上|掉|住|起来)?(?:了|啦)(?:哦|呀|啊)?$`),
  /(?:计时|倒数|播放|音乐)[^，]{0,3}(?:现在)?开始(?:了|啦)?$/,
  /(?:上调|下调|调高|调低|调|设|升|降|切换|换|改)(?:至|到|为|成)[^，]{1,8}$/,
  /(?:搞定|大功告成|办好|办妥|弄好|做好|妥了|处理完|完毕|操作成功|任务完成|已完成|完成了|完成啦|都完成|全完成)/,
  /^(?:完成|妥|妥妥的|好了|好啦|成了|成功)(?:了|啦|哦)?$/,
]

/** Whatever the talk is about: said of oneself, for the person. */
const deedsOfOurs = [
  new RegExp(
    `(?:为您|为你|帮您|帮你|给您|给你|替您|替你|我(?:已经?|刚刚?)?[把将])[^，]{0,14}(?:${deeds}|${plain})[^，]{0,12}(?:${end})`,
  ),
]

/** Said of a thing that a tool of this device is for. */
const stateOfThing = new RegExp(
  `(?:[开关亮停转响锁放播]着|(?:${deeds}|${plain}|亮|起来)(?:了|啦)|(?:播放|运行|加热|制冷|倒计时|工作)中|正?在(?:播放|运行|转|响|加热|制冷|浇|开|关)|是(?:亮|关|开|锁)(?:着)?的|(?:已经?|正)在[^，]{0,4}(?:跑|走|转|动|运行|响|计时|倒数|工作|加热|制冷|制热|拉)|[红绿蓝白黄紫橙粉]色(?:了|啦|的)|变[红绿蓝白黄紫亮暗]|现在是|已是|(?:启动|打开|关闭|关掉|开启)$|开始[^，]{1,6}(?:了|啦)$|已经?(?!经|是|断|离线|坏|过期|丢)[^，]{1,4}$|(?:调到|设为|降到|升到|开到)[^，]{0,4}$)`,
)

const excuses: readonly RegExp[] = [
  /[吗么？?]$|什么|哪|多少|几点|几个|谁|怎么|是否|要不要|是不是|有没有|为何|(?:多大|多久|多亮)/,
  /被[^，]{1,8}(?:卡|堵|缠|挡|拦|绊)|[卡堵]住|没|未|无法|失败|(?:抱歉|对不起)(?!久等)|拒绝|报错|异常|超出|出错|不(?!过|仅|但|错|久|停|客气)|(?<![特分])别(?!的|人)|之前|以前|差一点|还是|仍|依然|一直|照旧/,
  /(?<![帮为给替])(?:您|你|他|她|它自己|他们|有人|别人|老师|妈妈|爸爸|大家|同学们|孩子们|任务|日程表)(?:自己|刚才|刚刚|已经|昨天|早上|都)*[^，]{0,6}(?:打开|关闭|关掉|关上|关|开|设置|设|调|拉|锁|拉好|完成|做完)[^，]{0,6}(?:了|啦|的)/,
  /从前|很久|有个人|有一|昨天|上次|通常|一般|平时|曾经|去年|上周|古代|世纪|[\d〇零一二三四五六七八九]{3,4}年|发明|研究|时候|自动|了[^，]{0,4}更/,
  /^把[^，]*\d+(?:度|档|%)?$|^(?:您只要|你只要|只要|请|白天|晚上睡|睡觉|记得|建议)/,
]

/** In front of the verb, these make it possible, wanted or due instead of done. */
const modals =
  /可以|(?<![智节功性])能(?!源|量|力)|(?<!机|社|晚|聚|约|开|班)会(?!议|员|话|场)|(?<!主|重)要(?!闻|点)|想|需要|应该|最好|打算|准备|(?<!刚)才|如果|要是|假如|(?<!约)等(?!级)|一旦|试|建议|让我|即将|本来|原本|最高|最低|最多|最少|只能|再(?=把|帮|打|关)|(?<!这)就(?!是|已|给|帮|为)|请(?!放心)/

/** Of things in general. */
const generic = /^(?:也许|可能|大概|有些人|有人|人们|很多|我猜|电影|故事|传说|据说|一般|通常|每(?![周天日晚]))/

/** Limits, reasons and plans: what people hear instead of a deed. */
const reserves =
  /只|范围|最[大小高低多少]|之间|因为|所以|支持|表示|意思|需要|确认|权限|允许|错误|问题|故障|连接|离线|在线|可用|等待|稍等|稍候|请|哪|什么|怎么|您说|你说|您要|你要|您想|你想|看起来|好像|似乎|保持|仍|已经是最|原样|不变|从.*到\d|默认/

const apology = /(?:抱歉|对不起|不好意思)(?![，,]?(?:让您|让你)?久等)|遗憾/
const ownDeed = /我(?:已经?|刚刚?|这就)?(?:给您|帮您|为您)?[把将][^，]{1,14}(?:了|啦)/
/** The whole sentence is of another world, or of what somebody said. */
const ofElsewhere = /^(?:电影|故事|传说|书里|小说|从前|据说|您刚才说|你刚才说|您说|你说)/

const conditions = /^(?:如果|要是|假如|只要|等|一旦|当|万一|除非|需要的话)|的话$|之后$|以后$/

/** The clauses of one Chinese sentence that claim a deed or a state of `names`. */
export function chineseClaims(sentence: string, wanted: Wanted<string>): string[] {
  return clausesOf(sentence).filter((clause) => isClaim(clause, wanted))
}

/** The clauses that say how things are, without doubt, wish or question: their values may be compared. */
export function chineseStatements(sentence: string): string[] {
  return clausesOf(sentence).filter((clause) => {
    // A machine that stops by itself is told of a deed.
    const bare = clause.replace(/自动(?=停|关|结束)|会(?=提醒|叫|在|响|自动)/g, '')
    return !modals.test(bare) && !generic.test(bare) && !excuses.some((excuse) => excuse.test(bare))
  })
}

function clausesOf(sentence: string): string[] {
  // Asked first: 那我把灯关掉，可以吗？
  if (/[,，](?:这样)?(?:可以吗|好吗|行吗|怎么样|好不好|行不行|如何|可以么|成吗)[?？]?$/.test(sentence)) return []
  if ((apology.test(sentence) && !ownDeed.test(sentence)) || ofElsewhere.test(sentence.replace(openers, ''))) return []
  const parts = sentence
    .replace(openers, '')
    .replaceAll('差不多', '')
    .split(/[，,、；;]|但是|但|不过|然而|—+/)
    .map((part) => part.replace(/[。.！!~～\s]+$/, '').trim())
    .filter(Boolean)
  return parts
    .filter((part, at) => !conditions.test(part) && !conditions.test(parts[at - 1] ?? ''))
    .map((part) => part.replace(openers, ''))
}

function isClaim(clause: string, { names, context, echoes }: Wanted<string>): boolean {
  if (excuses.some((excuse) => excuse.test(clause))) return false
  const isSaid = (pattern: RegExp) => {
    const found = pattern.exec(clause)
    return found !== null && !modals.test(clause.slice(0, found.index + found[0].length))
  }
  if (context === 'past' && !/马上|立刻|现在|这就/.test(clause)) return false
  if (context === 'talk') return deedsOfOurs.some(isSaid)
  if (generic.test(clause)) return false
  const isNamed = names.some((name) => clause.includes(name))
  if (claims.some(isSaid) || (isNamed && isSaid(stateOfThing))) return true
  return context === 'order' && isPlain(clause) && (isNamed || echoes(clause))
}

/** After an order, a statement about it that is no limit, no reason and no plan says that it is so. */
function isPlain(clause: string): boolean {
  return (
    !modals.test(clause) &&
    !reserves.test(clause) &&
    /了|啦|已|正|现在|走起|来咯|中$|着|完|好$|成$|到|为|起来/.test(clause)
  )
}

/** 灯开着 may be read; 我把灯打开了 and 切换到制热了 may not. */
export function isChineseReport(clause: string): boolean {
  return !/我|帮|为您|为你|给您|给你|把|将|正在|(?:调|设|切换|换|改|添加|加入|记)[^，]{0,10}(?:了|啦)/.test(clause)
}
