import type { Log } from '../../../base/log.ts'
import { hanFromDigits } from '../thinking/numbers.ts'
import { espeakSound, espeakText } from './espeak-program.ts'
import { createPinyin } from './pinyin.ts'
import type { Engine } from './spoken-voice.ts'

const sampleRate = 22_050
/** Debian's build reads Hanzi as toneless English ("da three kai one", voice.md §4) and pinyin well. */
const speakArgs = ['-v', 'cmn-latn-pinyin', '-s', '170', '-a', '85', '-b', '1', '--stdin', '--stdout']
/** … but its own dictionary knows each character's pinyin, and tells it in a trace. */
const lookArgs = ['-v', 'cmn', '-q', '-X', '-b', '1', '--stdin']

/** Chinese text as it is read: numbers as characters (the voice would say them in English), no brackets, no emoji. */
export function chineseText(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(/°C|℃|摄氏度/g, '摄氏度')
    .replace(/°/g, '度')
    .replace(/,(?!\d)/g, '，')
    .replace(/[!！]/g, '！')
    .replace(/[?？]/g, '？')
    .replace(/[;；]/g, '；')
    .replace(/(?<!\d)[:：]|[:：](?!\d)/g, '：')
    .replace(/(\d):(\d\d)/g, '$1点$2')
    .replace(/(?<=\d),(?=\d{3})/g, '')
  const spoken = hanFromDigits(plain).replace(/[^\p{Script=Han}A-Za-z。，！？；：、.\s-]+/gu, ' ')
  return /[\p{Script=Han}A-Za-z]/u.test(spoken) ? spoken.replace(/\s+/g, ' ').trim() : ''
}

/** Undefined when the program, its Mandarin voices or a way to start it is missing: then there is no Chinese voice. */
export async function findEspeakEngine(log: Log): Promise<Engine | undefined> {
  try {
    const voices = await espeakText(['--voices=zh'], '')
    if (!voices.includes('cmn-latn-pinyin')) return undefined
  } catch (error) {
    log.info('no Chinese voice: espeak-ng is not installed', { error })
    return undefined
  }
  const pinyin = createPinyin((characters) => espeakText(lookArgs, characters))
  return {
    id: 'espeak-ng-cmn',
    language: 'zh',
    sampleRate,
    prepare: chineseText,
    async *synthesise(text, signal) {
      const read = await pinyin.of(text)
      yield* espeakSound({ args: speakArgs, sampleRate }, read, signal)
    },
  }
}
