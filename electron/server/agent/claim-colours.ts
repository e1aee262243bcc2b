// Which names of a colour fit a value: an RGB value has many honest names, and a few that are lies.

/** Hue in degrees from 0 to 360, saturation and value from 0 to 1. */
interface Hsv {
  readonly hue: number
  readonly saturation: number
  readonly value: number
}

interface Shade {
  readonly names: readonly string[]
  /** From, to; a range may pass 360. */
  readonly hue: readonly [number, number]
  readonly saturation: readonly [number, number]
  readonly value: readonly [number, number]
}

const any = [0, 1] as const

function shade(names: string, hue: readonly [number, number], limits: Partial<Shade> = {}): Shade {
  return { names: names.split('|'), hue, saturation: [0.25, 1], value: [0.08, 1], ...limits }
}

/** Wide on purpose: what one person calls teal another calls blue. */
const shades: readonly Shade[] = [
  shade('warm white|soft white|暖白|暖光|暖色|暖黄', [0, 70], { saturation: [0, 0.9], value: [0.4, 1] }),
  shade('cool white|cold white|冷白|冷光', [0, 360], { saturation: [0, 0.35], value: [0.4, 1] }),
  shade('white|ivory|cream|白色|白光|米色|白', [0, 360], { saturation: [0, 0.35], value: [0.4, 1] }),
  shade('grey|gray|silver|灰色|银色', [0, 360], { saturation: [0, 0.25], value: [0.1, 0.9] }),
  shade('black|黑色', [0, 360], { saturation: any, value: [0, 0.12] }),
  shade('brown|chocolate|棕色|褐色|咖啡色', [0, 50], { value: [0.1, 0.75] }),
  shade('pink|rose|blush|粉红|粉色|玫红|桃红|玫瑰色|粉', [285, 382], { saturation: [0.08, 1], value: [0.4, 1] }),
  shade('salmon|coral|peach|珊瑚色|珊瑚|桃色|三文鱼色', [340, 405], { saturation: [0.1, 1], value: [0.4, 1] }),
  shade('crimson|scarlet|ruby|maroon|burgundy|深红|大红|酒红|猩红', [330, 380]),
  shade('red|红色|红光|红', [338, 380], { saturation: [0.4, 1] }),
  shade('orange|tangerine|橙色|橘色|橘红|橙红|橙|橘', [5, 50], { saturation: [0.4, 1] }),
  shade('amber|gold|golden|琥珀色|琥珀|金色|金黄', [25, 64], { saturation: [0.3, 1] }),
  shade('yellow|lemon|黄色|柠檬黄|黄光|黄', [38, 72], { saturation: [0.2, 1] }),
  shade('lime|chartreuse|青柠色|黄绿|草绿|嫩绿', [60, 135]),
  shade('mint|薄荷绿|薄荷色', [100, 185], { saturation: [0.1, 1] }),
  shade('green|emerald|绿色|翠绿|绿光|绿', [75, 172], { saturation: [0.15, 1] }),
  shade('teal|turquoise|cyan|aqua|aquamarine|青色|湖蓝|蓝绿|青绿|绿松石色|青', [155, 212], { saturation: [0.2, 1] }),
  shade('sky blue|light blue|baby blue|天蓝|浅蓝|淡蓝', [175, 245], { saturation: [0.1, 1], value: [0.3, 1] }),
  shade('blue|azure|cobalt|蓝色|蓝光|海蓝|宝蓝|蓝', [185, 268], { saturation: [0.2, 1] }),
  shade('navy|indigo|深蓝|藏青|靛蓝|靛色', [215, 290]),
  shade('purple|violet|lavender|lilac|紫色|淡紫|薰衣草色|紫罗兰|紫光|紫', [245, 325], { saturation: [0.08, 1] }),
  shade('magenta|fuchsia|品红|洋红', [280, 345]),
]

const byName = new Map(shades.flatMap((one) => one.names.map((name) => [name, one] as const)))

/** Longest first: "sky blue" is no "blue" of its own. */
export const colourNames: readonly string[] = [...byName.keys()].sort((a, b) => b.length - a.length)

/** What a call holds: an RGB value of 0 to 255 each, or a name. */
export type Colour = readonly [number, number, number] | string

/** May this name be said of that colour? Two names fit when the ranges of their hues meet. */
export function fitsColour(name: string, colour: Colour): boolean {
  const said = byName.get(name)
  if (!said) return true
  if (typeof colour === 'string') {
    const meant = byName.get(colour)
    return !meant || said === meant || areNear(said, meant)
  }
  const { hue, saturation, value } = hsvOf(colour)
  if (!isWithin(value, said.value) || !isWithin(saturation, said.saturation)) return false
  return isWithin(hue, said.hue) || isWithin(hue + 360, said.hue)
}

function isWithin(value: number, [from, to]: readonly [number, number]): boolean {
  return value >= from && value <= to
}

/** Neighbours that people mix up, measured at the middle of one inside the other. Whites and greys have no hue. */
function areNear(one: Shade, other: Shade): boolean {
  const isColourless = ({ hue: [from, to] }: Shade) => to - from === 360
  if (isColourless(one) || isColourless(other)) {
    const [a, b] = [one.names.join(), other.names.join()]
    return a.includes('white') && b.includes('white')
  }
  const holds = (outer: Shade, inner: Shade) => {
    const middle = (inner.hue[0] + inner.hue[1]) / 2
    return [middle, middle + 360, middle - 360].some((hue) => isWithin(hue, outer.hue))
  }
  return holds(one, other) || holds(other, one)
}

function hsvOf([r, g, b]: readonly [number, number, number]): Hsv {
  const top = Math.max(r, g, b)
  const range = top - Math.min(r, g, b)
  const value = top / 255
  if (range === 0) return { hue: 0, saturation: 0, value }
  const sector = top === r ? ((g - b) / range) % 6 : top === g ? (b - r) / range + 2 : (r - g) / range + 4
  return { hue: (sector * 60 + 360) % 360, saturation: range / top, value }
}

const hex = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i

/** The colours that the arguments or the result of a call hold: three numbers, a hex text, a hue or a name. */
export function coloursOf(value: unknown): Colour[] {
  if (Array.isArray(value)) return tripleOf(value) ?? value.flatMap(coloursOf)
  if (typeof value === 'string') {
    const found = hex.exec(value)
    if (found && (value.startsWith('#') || /\d/.test(value))) return [parse(found)]
    const text = value.toLowerCase().replaceAll('_', ' ').trim()
    return byName.has(text) ? [text] : []
  }
  if (typeof value !== 'object' || value === null) return []
  const entries = new Map(Object.entries(value).map(([key, one]) => [key.toLowerCase(), one as unknown]))
  const part = (...keys: string[]) => keys.map((key) => entries.get(key)).find((one) => typeof one === 'number')
  const triple = tripleOf([part('r', 'red'), part('g', 'green'), part('b', 'blue')])
  const hue = part('hue', 'h')
  const spun = hue === undefined ? [] : [rgbOfHue(hue)]
  return [...(triple ?? []), ...spun, ...[...entries.values()].flatMap(coloursOf)]
}

function tripleOf(parts: readonly unknown[]): Colour[] | undefined {
  const [r, g, b] = parts
  const isTriple = parts.length === 3 && typeof r === 'number' && typeof g === 'number' && typeof b === 'number'
  return isTriple && parts.every((one) => Number(one) >= 0 && Number(one) <= 255) ? [[r, g, b]] : undefined
}

function parse([, r = '', g = '', b = '']: RegExpExecArray): Colour {
  return [parseInt(r, 16), parseInt(g, 16), parseInt(b, 16)]
}

function rgbOfHue(hue: number): Colour {
  const part = (shift: number) => {
    const k = (shift + (hue % 360) / 60) % 6
    return 255 * (1 - Math.max(0, Math.min(k, 4 - k, 1)))
  }
  return [part(5), part(3), part(1)]
}
