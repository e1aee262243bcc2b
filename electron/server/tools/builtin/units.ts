interface Unit {
  readonly of: 'length' | 'mass' | 'volume' | 'time' | 'speed' | 'area' | 'data' | 'temperature' | 'energy' | 'pressure'
  /** How many of the first unit of its kind one of it is; a temperature is turned in two steps. */
  readonly factor: number
  readonly en: readonly string[]
  readonly zh: readonly string[]
}

const row = (of: Unit['of'], factor: number, names: string): Unit => {
  const [en = '', zh = ''] = names.split(';')
  return { of, factor, en: en.split(','), zh: zh.split(',') }
}

/** Exact where the unit is defined so. The first name of each language is the one that is spoken back. */
export const units: Readonly<Record<string, Unit>> = {
  m: row('length', 1, 'meters,meter,metres,metre,m;米,公尺'),
  km: row('length', 1000, 'kilometers,kilometer,kilometres,kilometre,km;公里,千米'),
  cm: row('length', 0.01, 'centimeters,centimeter,centimetres,centimetre,cm;厘米,公分'),
  mm: row('length', 0.001, 'millimeters,millimeter,millimetres,millimetre,mm;毫米'),
  mile: row('length', 1609.344, 'miles,mile;英里'),
  yard: row('length', 0.9144, 'yards,yard;码'),
  foot: row('length', 0.3048, 'feet,foot,ft;英尺'),
  inch: row('length', 0.0254, 'inches,inch;英寸'),
  li: row('length', 500, 'li;里'),
  kg: row('mass', 1, 'kilograms,kilogram,kilos,kilo,kg;公斤,千克'),
  g: row('mass', 0.001, 'grams,gram,g;克'),
  mg: row('mass', 0.000001, 'milligrams,milligram,mg;毫克'),
  ton: row('mass', 1000, 'tonnes,tonne,tons,ton;吨'),
  pound: row('mass', 0.45359237, 'pounds,pound,lbs,lb;磅'),
  ounce: row('mass', 0.028349523125, 'ounces,ounce,oz;盎司'),
  jin: row('mass', 0.5, 'jin;斤'),
  liang: row('mass', 0.05, 'liang;两'),
  l: row('volume', 1, 'liters,liter,litres,litre;升'),
  ml: row('volume', 0.001, 'milliliters,milliliter,millilitres,millilitre,ml;毫升'),
  gallon: row('volume', 3.785411784, 'gallons,gallon;加仑'),
  cup: row('volume', 0.2365882365, 'cups,cup;杯'),
  pint: row('volume', 0.473176473, 'pints,pint;品脱'),
  tablespoon: row('volume', 0.01478676478125, 'tablespoons,tablespoon;汤匙'),
  teaspoon: row('volume', 0.00492892159375, 'teaspoons,teaspoon;茶匙'),
  s: row('time', 1, 'seconds,second;秒,秒钟'),
  min: row('time', 60, 'minutes,minute;分钟'),
  h: row('time', 3600, 'hours,hour;小时,个小时'),
  day: row('time', 86_400, 'days,day;天'),
  week: row('time', 604_800, 'weeks,week;周,个星期'),
  kmh: row('speed', 1 / 3.6, 'kilometers per hour,kilometer per hour,kmh;公里每小时,千米每小时'),
  mph: row('speed', 0.44704, 'miles per hour,mile per hour,mph;英里每小时'),
  ms: row('speed', 1, 'meters per second,meter per second;米每秒'),
  knot: row('speed', 1852 / 3600, 'knots,knot;节'),
  m2: row('area', 1, 'square meters,square meter,square metres;平方米,平米'),
  hectare: row('area', 10_000, 'hectares,hectare;公顷'),
  acre: row('area', 4046.8564224, 'acres,acre;英亩'),
  mu: row('area', 2000 / 3, 'mu;亩'),
  byte: row('data', 1, 'bytes,byte;字节'),
  kb: row('data', 1e3, 'kilobytes,kilobyte;千字节'),
  mb: row('data', 1e6, 'megabytes,megabyte,mb;兆字节,兆'),
  gb: row('data', 1e9, 'gigabytes,gigabyte,gb;吉字节'),
  joule: row('energy', 1, 'joules,joule;焦耳'),
  kcal: row('energy', 4184, 'kilocalories,kilocalorie,calories;千卡,大卡'),
  kwh: row('energy', 3_600_000, 'kilowatt hours,kilowatt hour;度电,千瓦时'),
  pa: row('pressure', 1, 'pascals,pascal;帕'),
  bar: row('pressure', 100_000, 'bars,bar;巴'),
  psi: row('pressure', 6894.757293168, 'psi;磅每平方英寸'),
  celsius: row('temperature', 1, 'degrees celsius,celsius,degree celsius,centigrade;摄氏度'),
  fahrenheit: row('temperature', 1, 'degrees fahrenheit,fahrenheit,degree fahrenheit;华氏度'),
  kelvin: row('temperature', 1, 'kelvin,kelvins;开尔文'),
}

/** Undefined when the two measure different things, or one is not known. */
export function convertUnit(value: number, from: string, to: string): number | undefined {
  const source = units[from]
  const target = units[to]
  if (!source || source.of !== target?.of) return undefined
  if (source.of === 'temperature') return fromCelsius(toCelsius(value, from), to)
  return (value * source.factor) / target.factor
}

function toCelsius(value: number, unit: string): number {
  return unit === 'fahrenheit' ? ((value - 32) * 5) / 9 : unit === 'kelvin' ? value - 273.15 : value
}

function fromCelsius(value: number, unit: string): number {
  return unit === 'fahrenheit' ? (value * 9) / 5 + 32 : unit === 'kelvin' ? value + 273.15 : value
}
