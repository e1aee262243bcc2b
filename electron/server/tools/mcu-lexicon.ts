/** How one word of a tool's name is spoken. The first of each language is what is said in an answer. */
export interface Term {
  readonly en: readonly string[]
  readonly zh: readonly string[]
}
/** `power`: a switch; `main`: a level that is meant when only the device is named; `speed`: that, of what turns. */
export interface Part extends Term {
  readonly kind: 'power' | 'main' | 'speed' | 'other'
  readonly unit?: 'degrees' | 'percent'
}

/** What microcontroller programs of lessons and kits call the things on their pins. Names in lower case. */
const deviceRows: readonly (readonly [names: string, en: string, zh: string])[] = [
  ['ac,aircon,air con,air conditioner,air conditioning,air conditioners,kongtiao', 'air conditioner,ac,aircon,air con,air conditioning', '空调,冷气'],
  ['fan,electric fan', 'fan', '风扇,电风扇,电扇'],
  ['lamp,light,bulb,lights', 'lamp,light', '灯,电灯,灯光'],
  ['led,led light', 'led,led light', 'LED,LED灯,灯'],
  ['desk lamp,table lamp', 'desk lamp,table lamp', '台灯'],
  ['heater,heating', 'heater,heating', '加热器,暖气,取暖器'],
  ['water heater,boiler', 'water heater,boiler', '热水器'],
  ['humidifier', 'humidifier', '加湿器'],
  ['dehumidifier', 'dehumidifier', '除湿机'],
  ['purifier,air purifier', 'air purifier,purifier', '空气净化器,净化器'],
  ['tv,television', 'tv,television', '电视,电视机'],
  ['curtain,curtains', 'curtain,curtains', '窗帘'],
  ['blind,blinds,shutter', 'blind,blinds', '百叶窗'],
  ['window', 'window', '窗户,窗'],
  ['door', 'door', '门'],
  ['gate', 'gate', '大门'],
  ['lock,door lock', 'lock,door lock', '门锁,锁'],
  ['pump,water pump', 'pump,water pump', '水泵,泵'],
  ['valve', 'valve', '阀门'],
  ['buzzer,beeper', 'buzzer', '蜂鸣器'],
  ['speaker', 'speaker', '音箱,喇叭'],
  ['relay', 'relay', '继电器'],
  ['motor', 'motor', '电机,马达'],
  ['servo', 'servo', '舵机'],
  ['socket,outlet,plug', 'socket,outlet,plug', '插座'],
  ['kettle', 'kettle', '水壶,热水壶'],
  ['fridge,refrigerator', 'fridge,refrigerator', '冰箱'],
  ['oven', 'oven', '烤箱'],
  ['washer,washing machine', 'washing machine,washer', '洗衣机'],
  ['robot', 'robot', '机器人'],
  ['car', 'car', '小车'],
  ['screen,display', 'screen,display', '屏幕,显示屏'],
] // prettier-ignore

const partRows: readonly (readonly [names: string, en: string, zh: string, kind: Part['kind'], unit?: Part['unit']])[] = [
  ['power,switch,enabled,enable,on,state,status,onoff,on off', 'power', '电源,开关', 'power'],
  ['temperature,temp,target temperature,target temp,setpoint', 'temperature', '温度', 'main', 'degrees'],
  ['brightness,bright', 'brightness', '亮度', 'main'],
  ['volume', 'volume', '音量', 'main'],
  ['position,opening', 'position', '位置,开度', 'main'],
  ['angle', 'angle', '角度', 'main', 'degrees'],
  ['level', 'level', '档位,等级', 'main'],
  ['humidity', 'humidity', '湿度', 'main', 'percent'],
  ['fan speed,wind speed,wind,fan level', 'fan speed,wind speed', '风速,风量', 'other'],
  ['speed,gear', 'speed', '速度,转速,风速', 'speed'],
  ['mode', 'mode', '模式', 'other'],
  ['swing', 'swing', '摆风,扫风', 'other'],
  ['direction', 'direction', '方向', 'other'],
  ['color,colour', 'color,colour', '颜色', 'other'],
  ['timer', 'timer', '定时', 'other'],
  ['distance', 'distance', '距离', 'other'],
  ['pressure', 'pressure', '气压', 'other'],
  ['voltage', 'voltage', '电压', 'other'],
  ['current', 'current', '电流', 'other'],
] // prettier-ignore

/** Values of a list. One that is not here could be a word of a message, and stays unknown (T11). */
const valueRows: readonly (readonly [names: string, en: string, zh: string])[] = [
  ['cool,cooling,cold', 'cool,cooling', '制冷,冷风'],
  ['heat,heating,warm,hot', 'heat,heating', '制热,加热,暖风'],
  ['fan,fan_only,fanonly,wind', 'fan,fan only', '送风,通风'],
  ['dry,dehumidify', 'dry', '除湿,抽湿'],
  ['auto,automatic', 'auto,automatic', '自动'],
  ['eco,saving', 'eco', '节能'],
  ['sleep,night', 'sleep,night', '睡眠'],
  ['manual', 'manual', '手动'],
  ['normal,standard', 'normal', '普通,标准'],
  ['turbo,strong', 'turbo,strong', '强力,强劲'],
  ['low', 'low', '低,低速,低档'],
  ['medium,mid,middle', 'medium,middle', '中,中速,中档'],
  ['high', 'high', '高,高速,高档'],
  ['on', 'on', '开'],
  ['off', 'off', '关'],
  ['open', 'open', '打开'],
  ['close,closed', 'closed', '关闭'],
  ['left', 'left', '左,左边'],
  ['right', 'right', '右,右边'],
  ['up', 'up', '上,向上'],
  ['down', 'down', '下,向下'],
  ['forward', 'forward', '前进,向前'],
  ['backward,back', 'backward,back', '后退,向后'],
  ['stop', 'stop', '停止,停'],
  ['red', 'red', '红色,红'],
  ['green', 'green', '绿色,绿'],
  ['blue', 'blue', '蓝色,蓝'],
  ['white', 'white', '白色,白'],
  ['yellow', 'yellow', '黄色,黄'],
] // prettier-ignore

function tableOf<Row extends readonly [string, string, string, ...unknown[]], Made>(
  rows: readonly Row[],
  make: (row: Row, term: Term) => Made,
): ReadonlyMap<string, Made> {
  return new Map(
    rows.flatMap((row) => {
      const made = make(row, { en: row[1].split(','), zh: row[2].split(',') })
      return row[0].split(',').map((name) => [name, made] as const)
    }),
  )
}

const devices = tableOf(deviceRows, (_, term) => term)
const parts = tableOf(partRows, ([, , , kind, unit], term): Part => ({ ...term, kind, ...(unit && { unit }) }))
const values = tableOf(valueRows, (_, term) => term)

export const deviceCalled = (words: readonly string[]): Term | undefined => devices.get(words.join(' '))
export const partCalled = (words: readonly string[]): Part | undefined => parts.get(words.join(' '))
export const valueCalled = (value: string): Term | undefined => values.get(value.toLowerCase())
/** Of a Chinese noun: 温度 is a part, 空调 none. */
export const partInChinese = (noun: string): Part | undefined => [...parts.values()].find(({ zh }) => zh.includes(noun))
export const deviceInChinese = (noun: string): Term | undefined =>
  [...devices.values()].find(({ zh }) => zh.includes(noun))
