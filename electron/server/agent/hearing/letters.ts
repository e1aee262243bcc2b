/** How the letters are spoken, in the phones of the recogniser's English model. */
const letterPhones: Readonly<Record<string, string>> = {
  a: 'EY', b: 'B IY', c: 'S IY', d: 'D IY', e: 'IY', f: 'EH F', g: 'JH IY', h: 'EY CH', i: 'AY', j: 'JH EY', k: 'K EY',
  l: 'EH L', m: 'EH M', n: 'EH N', o: 'OW', p: 'P IY', q: 'K Y UW', r: 'AA R', s: 'EH S', t: 'T IY', u: 'Y UW', v: 'V IY',
  w: 'D AH B AH L Y UW', x: 'EH K S', y: 'W AY', z: 'Z IY',
} // prettier-ignore

/** "LED" is said letter by letter: its phones, or undefined for what is no acronym of 2–5 capitals. */
export function spelledPhones(name: string): string | undefined {
  if (!/^[A-Z]{2,5}$/.test(name)) return undefined
  return Array.from(name.toLowerCase(), (letter) => letterPhones[letter] ?? '').join(' ')
}

/** The 39 phones of the model without silence: each is a one-phone word of the rejection loop. */
export const phones: readonly string[] =
  'AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH'.split(' ')
