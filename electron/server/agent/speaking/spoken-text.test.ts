import { expect, test } from 'vitest'
import { chineseText } from './espeak-voice.ts'
import { englishText } from './flite-voice.ts'
import { createPhraseCache } from './phrase-cache.ts'
import { createPinyin } from './pinyin.ts'
import { readWavHeader } from './wav.ts'

test('English text is written as it is read', () => {
  expect(englishText('The LED is at 40% and 26 °C.')).toBe('The L E D is at 40 percent and 26 degrees Celsius.')
  expect(englishText('灯')).toBe('')
})

test('numbers of Chinese text become characters', () => {
  expect(chineseText('现在26.5度，亮度40%。')).toBe('现在二十六点五度，亮度百分之四十。')
  expect(chineseText('!!!🎉')).toBe('')
})

test('pinyin comes from the dictionary once a character, with words that are read otherwise', async () => {
  const asked: string[] = []
  const pinyin = createPinyin((characters) => {
    asked.push(characters)
    return Promise.resolve('Replace: 好   hao3\nReplace: 的   de5\nReplace: 音   yin1\nReplace: 乐   le4\n')
  })
  expect(await pinyin.of('好的，音乐。')).toBe('hao3 de5, yin1 yue4.')
  expect(await pinyin.of('好的')).toBe('hao3 de5')
  expect(asked).toEqual(['好 的 音 乐'])
})

test('the cache keeps to its bytes and drops what was not used for longest', () => {
  const cache = createPhraseCache(16_000)
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) cache.set(key, new Int16Array(1000))
  cache.get('a')
  cache.set('i', new Int16Array(1000))
  expect([cache.get('a') !== undefined, cache.get('b'), cache.bytes()]).toEqual([true, undefined, 16_000])
  cache.set('big', new Int16Array(8001))
  expect(cache.get('big')).toBeUndefined()
})

test('a header in pieces is waited for, and one of another format is refused', () => {
  const wav = Buffer.alloc(44)
  wav.write('RIFF', 0)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(16_000, 24)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  for (let length = 0; length < 44; length++) expect(readWavHeader(wav.subarray(0, length))).toBeUndefined()
  expect(readWavHeader(wav)).toEqual({ sampleRate: 16_000, dataAt: 44 })
  wav.writeUInt16LE(2, 22)
  expect(() => readWavHeader(wav)).toThrow('no usable sound')
  expect(() => readWavHeader(Buffer.alloc(600))).toThrow('no usable sound')
})
