// Words of a house that exclude each other: who says kitchen of a call for the bedroom says what was not done. A row is
// one meaning, `English, English = 中文, 中文`; its first word stands for it.

/** A kind of words of which one call holds one: a room, a person, a mode, a day. */
export type WordClass = keyof typeof tables

const tables = {
  room: `living room, lounge, sitting room, family room = 客厅, 起居室
    bedroom, bed room = 卧室, 房间里, 睡房
    master bedroom = 主卧
    guest room, guest bedroom, spare room = 客房, 次卧
    kids room, kid room, children room, nursery, baby room = 儿童房, 宝宝房, 婴儿房, 孩子房间
    kitchen = 厨房
    bathroom, washroom, restroom, toilet = 浴室, 卫生间, 洗手间, 厕所
    study, home office = 书房
    office = 办公室
    dining room = 餐厅, 饭厅
    hallway, hall, corridor, entryway, entrance = 走廊, 过道, 玄关, 门厅
    garage = 车库
    garden, backyard, yard = 花园, 院子, 后院, 菜园
    balcony, porch, patio, terrace = 阳台, 露台
    basement, cellar = 地下室
    attic, loft = 阁楼
    greenhouse = 温室, 大棚
    classroom = 教室
    library = 图书馆, 图书室
    lab, laboratory, science room = 实验室
    gym = 体育馆, 健身房
    workshop = 工坊, 车间, 工作室
    upstairs = 楼上
    downstairs = 楼下`,
  entry: `front door = 前门, 大门, 正门
    back door, rear door = 后门
    side door = 侧门
    front gate, gate = 院门`,
  person: `mom, mum, mother, mommy = 妈妈, 老妈, 妈咪
    dad, father, daddy = 爸爸, 老爸
    grandma, grandmother, granny = 奶奶, 外婆, 姥姥
    grandpa, grandfather, granddad = 爷爷, 外公, 姥爷
    brother = 哥哥, 弟弟
    sister = 姐姐, 妹妹
    wife = 老婆, 妻子
    husband = 老公, 丈夫
    headmaster, principal = 校长`,
  weekday: `monday, mondays, mon = 周一, 星期一, 礼拜一
    tuesday, tuesdays, tue, tues = 周二, 星期二, 礼拜二
    wednesday, wednesdays, wed = 周三, 星期三, 礼拜三
    thursday, thursdays, thu, thurs = 周四, 星期四, 礼拜四
    friday, fridays, fri = 周五, 星期五, 礼拜五
    saturday, saturdays, sat = 周六, 星期六, 礼拜六
    sunday, sundays = 周日, 周天, 星期日, 星期天, 礼拜天`,
  day: `today, tonight, this evening, this afternoon = 今天, 今晚, 今日
    tomorrow = 明天, 明早, 明晚, 明日
    day after tomorrow = 后天`,
  month: `january = 一月份, 1月
    february = 二月份, 2月
    march = 三月份, 3月
    april = 四月份, 4月
    june = 六月份, 6月
    july = 七月份, 7月
    august = 八月份, 8月
    september = 九月份, 9月
    october = 十月份, 10月
    november = 十一月, 11月
    december = 十二月, 12月`,
  mode: `cool, cooling = 制冷, 冷气模式
    heat, heating = 制热, 加热模式, 暖风
    dry, dehumidify, dehumidifying, drying = 除湿, 抽湿, 干燥
    fan only, fan mode, ventilation = 送风, 通风
    auto, automatic, auto mode = 自动
    eco, energy saving, energy saver = 节能, 省电
    sleep mode, night mode = 睡眠, 夜间模式, 夜灯模式
    turbo, boost = 强劲, 强力, 极速`,
  scene: `away, away mode = 离家
    home, arrive home = 回家
    movie, cinema, film = 观影, 影院, 电影模式
    reading = 阅读
    party = 派对, 聚会
    rainbow = 彩虹
    breathing, breathe = 呼吸
    blinking, blink, flashing, strobe = 闪烁, 频闪
    sunrise, dawn = 日出
    sunset, dusk = 日落
    night, bedtime, sleep, sleeping = 夜间, 睡眠, 晚安, 睡觉
    morning, wake up = 早晨, 起床, 早安
    work, focus, study = 工作, 学习, 专注
    romantic = 浪漫
    relax, relaxing, relaxed = 放松`,
  genre: `jazz = 爵士
    rock, rock music = 摇滚
    classical, classical music = 古典
    pop music = 流行
    hip hop, rap = 说唱, 嘻哈
    country music = 乡村音乐
    lullaby, lullabies = 摇篮曲, 催眠曲
    piano = 钢琴
    guitar = 吉他
    lofi, lo-fi
    ambient
    electronic, techno = 电子音乐
    nursery rhyme, nursery rhymes, children songs = 儿歌
    white noise = 白噪音
    rain sounds = 雨声
    news = 新闻
    podcast = 播客`,
  level: `low, lowest = 低速, 低档, 低风, 低挡
    medium, middle, mid = 中速, 中档, 中风, 中挡, 中等
    high, highest = 高速, 高档, 高风, 高挡`,
  way: `left = 左转, 向左, 往左, 左移, 左边, 左拐
    right = 右转, 向右, 往右, 右移, 右边, 右拐
    forward, forwards, ahead = 前进, 向前, 往前
    backward, backwards, back up, backed up, backing up, reversed = 后退, 向后, 往后, 倒退, 倒车`,
  thing: `tv, television, telly = 电视
    oven = 烤箱
    stove, hob, cooker = 炉灶, 灶台
    microwave = 微波炉
    kettle = 烧水壶, 热水壶, 水壶
    coffee machine, coffee maker, espresso machine = 咖啡机
    dishwasher = 洗碗机
    washing machine, washer = 洗衣机
    dryer = 烘干机
    fridge, refrigerator = 冰箱
    vacuum, robot vacuum, vacuum cleaner = 扫地机, 吸尘器
    heater, radiator = 暖气, 取暖器
    humidifier = 加湿器
    dehumidifier = 除湿机
    air purifier, purifier = 净化器
    camera = 摄像头, 摄像机
    projector = 投影仪, 投影
    computer, laptop = 电脑
    printer, 3d printer = 打印机
    sprinkler, sprinklers = 喷头, 洒水器
    window, windows = 窗户
    fan = 风扇, 电扇
    lamp = 台灯
    curtain, curtains, drapes = 窗帘
    radio = 收音机
    doorbell = 门铃
    skylight = 天窗
    shutters = 卷帘
    fireplace = 壁炉
    range hood, cooker hood = 油烟机
    water heater, boiler = 热水器
    rice cooker = 电饭煲, 电饭锅
    faucet, tap = 水龙头
    phone, cellphone = 手机
    chandelier = 吊灯
    fountain = 喷泉
    whiteboard = 白板
    aquarium, fish tank = 鱼缸
    car = 汽车
    feeder = 喂食器
    air conditioner, ac, a/c, air con, air conditioning = 空调
    pump = 水泵
    buzzer = 蜂鸣器
    motor = 电机, 马达
    relay, socket, outlet, plug = 插座, 继电器`,
} as const

interface Word {
  readonly id: string
  readonly text: string
}

const han = /\p{Script=Han}/u

function parse(table: string): Word[] {
  const words = table.split('\n').flatMap((row) => {
    const names = row.split(/[,=]/).map((name) => name.trim())
    return names.flatMap((text) => (text === '' ? [] : [{ id: names[0] ?? text, text }]))
  })
  return words.sort((a, b) => b.text.length - a.text.length)
}

const parsed = new Map(Object.entries(tables).map(([name, table]) => [name, parse(table)]))

/** The meanings of one class in a text; of two words of which one holds the other, the longer counts. */
export function meaningsIn(text: string, name: WordClass): Set<string> {
  const found = new Set<string>()
  let rest = spaced(text)
  for (const { id, text: word } of parsed.get(name) ?? []) {
    const taken = take(rest, word)
    if (taken === rest) continue
    found.add(id)
    rest = taken
  }
  return found
}

/** Does a text hold this word or its plural, or this Chinese text? The text is as `spaced` makes it. */
export function holds(spacedText: string, word: string): boolean {
  return take(spacedText, word) !== spacedText
}

/** Lower case with one space between words and around the text: what `holds` looks in. */
export function spaced(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}'/]+/gu, ' ')
    .replace(/'s\b/g, '')
    .trim()} `
}

/** The text without the word. */
export function take(text: string, word: string): string {
  if (han.test(word)) return text.replaceAll(word, '  ')
  return text.replaceAll(` ${word} `, '   ').replaceAll(` ${word}s `, '   ')
}
