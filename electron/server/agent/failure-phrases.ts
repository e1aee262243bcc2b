import type { SpokenLanguage } from './providers.ts'

const texts = {
  'recogniser-missing': {
    en: 'I cannot hear yet: no speech recogniser is installed. You can type to me.',
    zh: '还没有安装语音识别，请用打字的方式。',
  },
  'hearing-failed': { en: 'Sorry, I could not hear that. Please say it again.', zh: '抱歉，没有听清，请再说一遍。' },
  'thinking-failed': { en: 'Sorry, I could not find an answer.', zh: '抱歉，我没能得出回答。' },
} as const
export type FailurePhrase = keyof typeof texts

export function failurePhrase(name: FailurePhrase, language: SpokenLanguage): { text: string; cacheable: boolean } {
  return { text: texts[name][language], cacheable: true }
}

/** For Speaking.warm: what must be spoken when something else has failed. */
export function failurePhrases(): { text: string; language: SpokenLanguage }[] {
  return Object.values(texts).flatMap((text) => [
    { text: text.en, language: 'en' as const },
    { text: text.zh, language: 'zh' as const },
  ])
}
