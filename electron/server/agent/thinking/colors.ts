import type { SpokenLanguage } from '../providers.ts'

interface Color {
  readonly rgb: readonly [number, number, number]
  readonly en: readonly string[]
  readonly zh: readonly string[]
}

/** Colours that a person may say, as full-range 0–255 values. The first name is the one that is spoken back. */
const colors: readonly Color[] = [
  { rgb: [255, 0, 0], en: ['red'], zh: ['红色', '红', '大红'] },
  { rgb: [0, 255, 0], en: ['green'], zh: ['绿色', '绿'] },
  { rgb: [0, 0, 255], en: ['blue'], zh: ['蓝色', '蓝'] },
  { rgb: [255, 255, 255], en: ['white'], zh: ['白色', '白'] },
  { rgb: [255, 255, 0], en: ['yellow'], zh: ['黄色', '黄'] },
  { rgb: [255, 128, 0], en: ['orange'], zh: ['橙色', '橙', '橘色', '橘黄色'] },
  { rgb: [128, 0, 255], en: ['purple', 'violet'], zh: ['紫色', '紫'] },
  { rgb: [255, 64, 128], en: ['pink'], zh: ['粉色', '粉红色', '粉红', '粉'] },
  { rgb: [0, 255, 255], en: ['cyan', 'turquoise'], zh: ['青色', '青', '青蓝色'] },
  { rgb: [255, 0, 255], en: ['magenta'], zh: ['品红色', '洋红色', '品红', '洋红'] },
]

export function colorNames(language: SpokenLanguage): string[] {
  return colors.flatMap((color) => color[language])
}

/** A colour name, "#ff8800", or three numbers; undefined when it is none or a part is above 255. */
export function colorNamed(
  text: string,
  language: SpokenLanguage,
): { rgb: readonly number[]; name: string } | undefined {
  const named = colors.find((color) => color[language].includes(text))
  if (named) return { rgb: named.rgb, name: named[language][0] ?? text }
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(text)
  const parts = hex ? hex.slice(1).map((part) => parseInt(part, 16)) : text.match(/\d+/g)?.map(Number)
  if (parts?.length !== 3 || parts.some((part) => part > 255)) return undefined
  return { rgb: parts, name: parts.join(' ') }
}
