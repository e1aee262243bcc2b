import type { SpokenLanguage } from './providers.ts'

// The phrase is checked by the server before any thinking (reliability.md C 43): nothing that a model says counts.

const yes = {
  en: [
    'yes',
    'yes do it',
    'yes please',
    'yes please do it',
    'yes go ahead',
    'yes i am sure',
    'yes im sure',
    'yes confirm',
    'do it',
    'go ahead',
    'confirm',
    'confirmed',
    'i confirm',
    'yes i confirm',
    'approve',
  ],
  zh: [
    '是',
    '是的',
    '确认',
    '确认执行',
    '是的确认',
    '执行',
    '好的执行',
    '可以执行',
    '同意',
    '确定',
    '我确认',
    '是的执行',
  ],
} as const

const no = {
  en: [
    'no',
    'no dont',
    'no do not',
    'dont',
    'do not',
    'dont do it',
    'do not do it',
    'cancel',
    'stop',
    'never mind',
    'no thanks',
  ],
  zh: ['不', '不要', '不用', '不用了', '取消', '算了', '别', '不执行', '不要执行', '否', '不同意', '停'],
} as const

/** What a recogniser with a grammar listens for. No yes of one word: noise is too easily one. */
export const heardAnswers: readonly string[] = [
  'yes do it',
  'yes please do it',
  'yes go ahead',
  'yes i am sure',
  'yes i confirm',
  'no',
  'no thanks',
  'no do not',
  'do not do it',
  'never mind',
]

/** The whole utterance is a yes or a no; undefined for everything else, a yes with conditions too. */
export function consentAnswer(text: string): boolean | undefined {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  const joined = plain.replaceAll(' ', '')
  if (isOneOf(yes.en, plain) || isOneOf(yes.zh, joined)) return true
  if (isOneOf(no.en, plain) || isOneOf(no.zh, joined)) return false
  return undefined
}

function isOneOf(phrases: readonly string[], text: string): boolean {
  return phrases.includes(text)
}

const phrases = {
  ask: {
    en: 'This could destroy something. Say “yes, do it”, or confirm it in the console.',
    zh: '这个操作可能造成破坏。请说“确认执行”，或在控制台确认。',
  },
  done: { en: 'Okay, done.', zh: '好的，已完成。' },
  refused: { en: 'Okay, I leave it.', zh: '好的，不执行。' },
  failed: { en: 'That did not work.', zh: '没有执行成功。' },
  'not-done': { en: 'I did not actually do that.', zh: '其实我没有执行这个操作。' },
} as const
export type ConsentPhrase = keyof typeof phrases

/** The server's own words: they are never a model's. */
export function consentPhrase(name: ConsentPhrase, language: SpokenLanguage): { text: string; cacheable: boolean } {
  return { text: phrases[name][language], cacheable: true }
}
