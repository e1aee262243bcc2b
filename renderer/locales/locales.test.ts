import { expect, test } from 'vitest'
import en from './en.json' with { type: 'json' }
import zh from './zh-CN.json' with { type: 'json' }

type Tree = { readonly [key: string]: string | Tree }

function flat(tree: Tree, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string' ? [[prefix + key, value] as const] : [...flat(value, `${prefix}${key}.`)],
    ),
  )
}

const english = flat(en)
const chinese = flat(zh)
const files = import.meta.glob<string>(['../**/*.{vue,ts}', '!../**/*.test.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const sources = Object.values(files)

/** Every place that names a message: `t('a.b')`, `` t(`a.${x}`) ``, a keypath, a route title. `${…}` stands for one name. */
const used = sources.flatMap((source) => [
  ...[...source.matchAll(/\bt\(\s*(['`])((?:\$\{(?:[^{}`]|`[^`]*`)*\}|(?!\1).)+)\1/g)].map((match) => match[2]!),
  ...[...source.matchAll(/(?:[?:(]|\bt\()\s*'([a-z][A-Za-z]*(?:\.[A-Za-z-]+)+)'/g)].map((match) => match[1]!),
  ...[...source.matchAll(/(?:keypath="|title: ')([a-z][\w.-]+)['"]/g)].map((match) => match[1]!),
])
const patterns = used
  .filter((key) => key.includes('${'))
  .map((key) => new RegExp(`^${key.replaceAll('.', '\\.').replaceAll(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, '[A-Za-z0-9-]+')}$`))
const plain = new Set(used.filter((key) => !key.includes('${')))

test('both languages say the same things', () => {
  expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort())
})

test('no message is empty, and placeholders agree', () => {
  const holders = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

  for (const [key, text] of english) {
    expect(text.trim(), key).not.toBe('')
    expect(chinese.get(key)?.trim(), key).not.toBe('')
    expect(holders(chinese.get(key) ?? ''), key).toEqual(holders(text))
  }
})

test('every message that the page asks for exists', () => {
  const areas = new Set(Object.keys(en))
  const missing = [...plain].filter(
    (key) => areas.has(key.split('.')[0] ?? '') && /^[\w.-]+\.[\w-]+$/.test(key) && !english.has(key),
  )

  expect(missing).toEqual([])
  for (const pattern of patterns)
    expect(
      [...english.keys()].some((key) => pattern.test(key)),
      String(pattern),
    ).toBe(true)
})

test('no message is left over', () => {
  const unused = [...english.keys()].filter((key) => !plain.has(key) && !patterns.some((pattern) => pattern.test(key)))

  expect(unused).toEqual([])
})

test('the words of the word list are kept', () => {
  const all = [...english].map(([key, text]) => `${key}: ${text}`)

  expect(all.filter((line) => /\b(cloud server|reflash|upgrade)\b/i.test(line))).toEqual([])
  expect([...chinese].filter(([, text]) => /服务器|刷机|刷写|固件升级/.test(text))).toEqual([])
})
