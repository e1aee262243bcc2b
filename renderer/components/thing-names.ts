const MOST = 20
const LONGEST = 60

/** Names as a person types them, with commas of either language between. */
export function namesFrom(text: string): string[] {
  const names = text
    .split(/[,，、;；\n]/)
    .map((name) => name.trim().slice(0, LONGEST))
    .filter((name) => name !== '')
  return [...new Set(names)].slice(0, MOST)
}

export const namesText = (names: readonly string[], locale: 'en' | 'zh'): string =>
  names.join(locale === 'zh' ? '、' : ', ')
