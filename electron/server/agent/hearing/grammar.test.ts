import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bornTools } from '../../../contract/born-tools.ts'
import { ToolVersion } from '../../../contract/tool.ts'
import { matchIntent } from '../thinking/intent-matcher.ts'
import { checkGrammar, grammarRules } from './grammar-check.ts'
import { buildGrammar, grammarWords, spelledWords } from './grammar.ts'

function draft(name: string, properties: Record<string, unknown>, danger = 'physical'): ToolVersion {
  const required = Object.keys(properties)
  return ToolVersion.parse({
    name, version: 1, status: 'published', description: '', arguments: { type: 'object', properties, required },
    result: null, danger, idempotent: false, timeoutMs: 10_000, speech: {}, createdAt: 0, origin: 'board',
  }) // prettier-ignore
}
const boardTools = [
  draft('set_heater', { on: { type: 'boolean' }, temperature: { type: 'number', minimum: 5, maximum: 30 } }),
  draft('set_pump', { flow: { type: 'integer', minimum: 0, maximum: 1200 } }),
  draft('set_fridge', { offset: { type: 'integer', minimum: -20, maximum: 8 } }),
  draft('set_oven_mode', { mode: { type: 'string', enum: ['grill', 'fan_only', 'defrost'] } }),
  draft('feedCat', {}),
  draft('get_humidity', {}, 'read'),
]

/** One sentence of the grammar, chosen by `pick`; reads the JSGF text itself, not what it was made from. */
function sentenceOf(text: string, pick: (options: number) => number): string {
  const rules = grammarRules(text)
  const expand = (body: string): string => {
    const tokens = body.replace(/\/[\d.]+\//g, ' ').match(/[()[\]|]|<\w+>|[^\s()[\]|<>]+/g) ?? []
    let at = 0
    const choice = (): string => {
      const options = [list()]
      while (tokens[at] === '|') {
        at++
        options.push(list())
      }
      return options[pick(options.length)] ?? ''
    }
    const list = (): string => {
      const words: string[] = []
      for (let token = tokens[at]; token !== undefined && !['|', ')', ']'].includes(token); token = tokens[at]) {
        at++
        if (token === '(' || token === '[') {
          const inner = choice()
          at++
          if (token === '(' || pick(2) === 1) words.push(inner)
        } else words.push(token.startsWith('<') ? expand(rules.get(token.slice(1, -1)) ?? '') : token)
      }
      return words.join(' ')
    }
    return choice()
  }
  return expand(rules.get('command') ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}

test.each([
  ['the born tools', bornTools],
  ['tools of a board without speech hints', boardTools],
])('whatever the grammar of %s can hear the matcher understands', (_, tools) => {
  const { text } = buildGrammar(tools, () => true)
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(100_000)), (stream) => {
      const said = sentenceOf(text, (options) => (stream.next().value as number) % options)
      if (matchIntent(said, 'en', tools) === null) throw new Error(`not understood: "${said}"`)
    }),
    { numRuns: 1500 },
  )
})

test('numbers of the range and a little more are words of the grammar', () => {
  expect(grammarWords(bornTools)).toContain('ninety')
  expect(grammarWords(bornTools)).not.toContain('thousand')
  expect(grammarWords(boardTools)).toContain('thousand')
  expect(grammarWords(boardTools)).toContain('minus')
})

test('a name with a word that the dictionary lacks is left out and told', () => {
  const known = grammarWords([draft('set_xylobot', { on: { type: 'boolean' } })]).filter((word) => word !== 'xylobot')
  const grammar = buildGrammar(
    [draft('set_xylobot', { on: { type: 'boolean' } }), ...bornTools],
    (word) => known.includes(word) || grammarWords(bornTools).includes(word),
  )
  expect(grammar.dropped).toEqual(['xylobot'])
  expect(grammar.text).not.toContain('xylobot')
  expect(grammar.text).toContain('lamp')
})

test('the hash changes with the tools only', () => {
  const hash = (tools: readonly ToolVersion[]): string => buildGrammar(tools, () => true).hash
  expect(hash(bornTools)).toBe(hash(structuredClone(bornTools)))
  expect(hash(bornTools)).not.toBe(hash(bornTools.slice(1)))
})

test('no tools leave the built-ins', () => {
  const { text } = buildGrammar([], () => true)
  expect(
    matchIntent(
      sentenceOf(text, () => 0),
      'en',
      [],
    ),
  ).toEqual({ builtin: 'stop' })
})

test('an acronym among the names is spelled out', () => {
  expect(spelledWords(bornTools)).toEqual(new Map([['led', 'EH L IY D IY']]))
})

test.each([
  ['an undefined rule', 'public <command> = go <where>;'],
  ['a rule that reaches itself', 'public <command> = <a>;\n<a> = x <b>;\n<b> = <a> y;'],
  ['an empty rule', 'public <command> = <a>;\n<a> = ;'],
  ['no public rule', '<a> = x;'],
])('%s is refused before it reaches the recogniser', (_, text) => {
  expect(() => checkGrammar(text)).toThrow('command grammar is broken')
})

test('hostile names cannot break out of the grammar', () => {
  const evil = draft('set_x', { on: { type: 'boolean' } })
  const names = ['lamp; public <x> = y', '<command>', '/* lamp', 'a | b', 'öffne', '']
  const tool = { ...evil, speech: { ...evil.speech, target: { en: [...names, 'heater'], zh: [] } } }
  const rules = grammarRules(buildGrammar([tool], () => true).text)
  expect([...rules.keys()].filter((name) => name === 'x')).toEqual([])
  expect(rules.get('t0_target')).toContain('heater')
})
