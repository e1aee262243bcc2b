/** Words whose characters are read otherwise than alone. */
const words: Readonly<Record<string, string>> = {
  音乐: 'yin1 yue4', 重复: 'chong2 fu4', 重启: 'chong2 qi3', 重新: 'chong2 xin1', 重试: 'chong2 shi4', 银行: 'yin2 hang2',
  睡觉: 'shui4 jiao4', 为什么: 'wei4 shen2 me5', 因为: 'yin1 wei4', 觉得: 'jue2 de5', 音响: 'yin1 xiang3', 还有: 'hai2 you3', 行长: 'hang2 zhang3',
} // prettier-ignore
const wordPattern = new RegExp(Object.keys(words).join('|'), 'g')
const han = /[\u3400-\u9fff]/gu
const keptCharacters = 10_000

/** Pinyin with tone numbers for Chinese text, by what a dictionary says of single characters. */
export interface Pinyin {
  /** Punctuation stays as pauses; characters that the dictionary lacks are dropped. Rejects as `look` does. */
  of(text: string): Promise<string>
}

/** `look`: characters parted by spaces → lines that name each with its pinyin ("好   hao3"). */
export function createPinyin(look: (characters: string) => Promise<string>): Pinyin {
  const known = new Map<string, string>()
  async function learn(text: string): Promise<void> {
    const unknown = [...new Set(text.match(han) ?? [])].filter((char) => !known.has(char))
    if (unknown.length === 0) return
    if (known.size > keptCharacters) known.clear()
    const lines = await look(unknown.join(' '))
    for (const char of unknown) known.set(char, '')
    for (const match of lines.matchAll(/([\u3400-\u9fff])\s+([a-z]{1,6}[1-5])/gu))
      known.set(match[1] ?? '', match[2] ?? '')
  }
  return {
    async of(text) {
      await learn(text)
      return text
        .replace(wordPattern, (word) => ` ${words[word] ?? ''} `)
        .replace(han, (char) => ` ${known.get(char) ?? ''} `)
        .replace(/[。！？；]/g, '. ')
        .replace(/[，、：]/g, ', ')
        .replace(/\s+/g, ' ')
        .replace(/ (?=[.,])/g, '')
        .trim()
    },
  }
}
