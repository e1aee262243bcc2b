import type { Engine } from './spoken-voice.ts'
import { fliteRate } from './flite.ts'
import type { Synthesiser } from './synthesiser-process.ts'

/** Words that flite would read letter for letter wrong, or skip. */
const readAs: readonly (readonly [RegExp, string])[] = [
  [/°\s*C\b/g, ' degrees Celsius'],
  [/°/g, ' degrees'],
  [/%/g, ' percent'],
  [/&/g, ' and '],
  [/[’‘]/g, "'"],
  [/[“”]/g, '"'],
  [/[—–]/g, ', '],
]

/** Said letter by letter: what has no vowel to be read as a word, and LED, which flite reads as "led". */
const isSpelled = (word: string): boolean => word === 'LED' || !/[AEIOUY]/.test(word)

/** Plain English for flite: acronyms letter by letter (it says "led" for LED), signs as words, no other scripts. */
export function englishText(text: string): string {
  let out = text.normalize('NFKC')
  for (const [from, to] of readAs) out = out.replace(from, to)
  out = out.replace(/\b[A-Z]{2,5}\b/g, (word) => (isSpelled(word) ? Array.from(word).join(' ') : word))
  out = out
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return /[a-z0-9]/i.test(out) ? out : ''
}

export function createFliteEngine(synthesiser: Synthesiser): Engine {
  return {
    id: 'flite-slt',
    language: 'en',
    sampleRate: fliteRate,
    prepare: englishText,
    async *synthesise(text, signal) {
      yield await synthesiser.speak(text, signal)
    },
  }
}
