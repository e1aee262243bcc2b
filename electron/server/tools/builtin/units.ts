export interface Unit {
  readonly of: 'length' | 'mass' | 'volume' | 'time' | 'speed' | 'area' | 'data' | 'temperature' | 'energy' | 'pressure'
  /** As mathjs writes it; those of `ownUnits` are taught to it. */
  readonly math: string
  readonly en: readonly string[]
  readonly zh: readonly string[]
}

const row = (of: Unit['of'], math: string, names: string): Unit => {
  const [en = '', zh = ''] = names.split(';')
  return { of, math, en: en.split(','), zh: zh.split(',') }
}

/** Units that mathjs does not have, or has with fewer digits than they are defined with. */
export const ownUnits: Readonly<Record<string, string>> = {
  shili: '500 m',
  shijin: '0.5 kg',
  shiliang: '0.05 kg',
  shimu: '666.6666666666666 m2',
  knot: '0.5144444444444445 m/s',
  kcal: '4184 J',
  exactAcre: '4046.8564224 m2',
  exactCup: '236.5882365 ml',
  exactSpoon: '14.78676478125 ml',
  exactTea: '4.92892159375 ml',
}

/** The first name of each language is the one that is spoken back. */
export const units: Readonly<Record<string, Unit>> = {
  m: row('length', 'm', 'meters,meter,metres,metre,m;米,公尺'),
  km: row('length', 'km', 'kilometers,kilometer,kilometres,kilometre,km;公里,千米'),
  cm: row('length', 'cm', 'centimeters,centimeter,centimetres,centimetre,cm;厘米,公分'),
  mm: row('length', 'mm', 'millimeters,millimeter,millimetres,millimetre,mm;毫米'),
  mile: row('length', 'mile', 'miles,mile;英里'),
  yard: row('length', 'yard', 'yards,yard;码'),
  foot: row('length', 'foot', 'feet,foot,ft;英尺'),
  inch: row('length', 'inch', 'inches,inch;英寸'),
  li: row('length', 'shili', 'li;里'),
  kg: row('mass', 'kg', 'kilograms,kilogram,kilos,kilo,kg;公斤,千克'),
  g: row('mass', 'g', 'grams,gram,g;克'),
  mg: row('mass', 'mg', 'milligrams,milligram,mg;毫克'),
  ton: row('mass', 'tonne', 'tonnes,tonne,tons,ton;吨'),
  pound: row('mass', 'lbm', 'pounds,pound,lbs,lb;磅'),
  ounce: row('mass', 'oz', 'ounces,ounce,oz;盎司'),
  jin: row('mass', 'shijin', 'jin;斤'),
  liang: row('mass', 'shiliang', 'liang;两'),
  l: row('volume', 'l', 'liters,liter,litres,litre;升'),
  ml: row('volume', 'ml', 'milliliters,milliliter,millilitres,millilitre,ml;毫升'),
  gallon: row('volume', 'gallon', 'gallons,gallon;加仑'),
  cup: row('volume', 'exactCup', 'cups,cup;杯'),
  pint: row('volume', 'pint', 'pints,pint;品脱'),
  tablespoon: row('volume', 'exactSpoon', 'tablespoons,tablespoon;汤匙'),
  teaspoon: row('volume', 'exactTea', 'teaspoons,teaspoon;茶匙'),
  s: row('time', 's', 'seconds,second;秒,秒钟'),
  min: row('time', 'minute', 'minutes,minute;分钟'),
  h: row('time', 'hour', 'hours,hour;小时,个小时'),
  day: row('time', 'day', 'days,day;天'),
  week: row('time', 'week', 'weeks,week;周,个星期'),
  kmh: row('speed', 'km/h', 'kilometers per hour,kilometer per hour,kmh;公里每小时,千米每小时'),
  mph: row('speed', 'mi/h', 'miles per hour,mile per hour,mph;英里每小时'),
  ms: row('speed', 'm/s', 'meters per second,meter per second;米每秒'),
  knot: row('speed', 'knot', 'knots,knot;节'),
  m2: row('area', 'm2', 'square meters,square meter,square metres;平方米,平米'),
  hectare: row('area', 'hectare', 'hectares,hectare;公顷'),
  acre: row('area', 'exactAcre', 'acres,acre;英亩'),
  mu: row('area', 'shimu', 'mu;亩'),
  byte: row('data', 'B', 'bytes,byte;字节'),
  kb: row('data', 'kB', 'kilobytes,kilobyte;千字节'),
  mb: row('data', 'MB', 'megabytes,megabyte,mb;兆字节,兆'),
  gb: row('data', 'GB', 'gigabytes,gigabyte,gb;吉字节'),
  joule: row('energy', 'J', 'joules,joule;焦耳'),
  kcal: row('energy', 'kcal', 'kilocalories,kilocalorie,calories;千卡,大卡'),
  kwh: row('energy', 'kWh', 'kilowatt hours,kilowatt hour;度电,千瓦时'),
  pa: row('pressure', 'Pa', 'pascals,pascal;帕'),
  bar: row('pressure', 'bar', 'bars,bar;巴'),
  psi: row('pressure', 'psi', 'psi;磅每平方英寸'),
  celsius: row('temperature', 'degC', 'degrees celsius,celsius,degree celsius,centigrade;摄氏度,摄氏'),
  fahrenheit: row('temperature', 'degF', 'degrees fahrenheit,fahrenheit,degree fahrenheit;华氏度,华氏'),
  kelvin: row('temperature', 'K', 'kelvin,kelvins;开尔文'),
}
