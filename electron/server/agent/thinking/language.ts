import type { SpokenLanguage } from '../providers.ts'

const han = /[\u3400-\u4dbf\u4e00-\u9fff]/

/** Any Chinese character makes it Chinese: an English sentence has none, a Chinese one may say "LED". */
export function detectLanguage(text: string): SpokenLanguage {
  return han.test(text) ? 'zh' : 'en'
}
