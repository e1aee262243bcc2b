import { AppError } from '../../../base/app-error.ts'

/**
 * The small language in which the sentence table is written, a part of JSGF: words, `(a | b)`, `[optional]`, `<slot>`.
 * One text is read by the matcher (as a regular expression) and by the recogniser (as grammar), so they cannot disagree.
 */
export type Pattern =
  | { readonly is: 'word'; readonly word: string }
  | { readonly is: 'slot'; readonly name: string }
  | { readonly is: 'list'; readonly parts: readonly Pattern[] }
  | { readonly is: 'choice'; readonly options: readonly Pattern[] }
  | { readonly is: 'maybe'; readonly part: Pattern }

export function parsePattern(text: string): Pattern {
  const tokens = text.match(/[()[\]|]|<\w+>|[^\s()[\]|<>]+/g) ?? []
  let at = 0
  function choice(): Pattern {
    const options = [list()]
    while (tokens[at] === '|') {
      at++
      options.push(list())
    }
    return options.length === 1 ? (options[0] ?? { is: 'list', parts: [] }) : { is: 'choice', options }
  }
  function list(): Pattern {
    const parts: Pattern[] = []
    for (let token = tokens[at]; token !== undefined && !['|', ')', ']'].includes(token); token = tokens[at]) {
      at++
      if (token === '(' || token === '[') {
        const part = choice()
        if (tokens[at++] !== (token === '(' ? ')' : ']')) throw broken(text)
        parts.push(token === '(' ? part : { is: 'maybe', part })
      } else parts.push(token.startsWith('<') ? { is: 'slot', name: token.slice(1, -1) } : { is: 'word', word: token })
    }
    return { is: 'list', parts }
  }
  const whole = choice()
  if (at !== tokens.length) throw broken(text)
  return whole
}

function broken(text: string): AppError {
  return new AppError('server-internal', `Sentence pattern "${text}" has unbalanced brackets`)
}

export function slotsOf(pattern: Pattern): string[] {
  switch (pattern.is) {
    case 'word':
      return []
    case 'slot':
      return [pattern.name]
    case 'list':
      return pattern.parts.flatMap(slotsOf)
    case 'choice':
      return pattern.options.flatMap(slotsOf)
    case 'maybe':
      return slotsOf(pattern.part)
  }
}

/**
 * Source of a regular expression. `space` stands before every word ("" for Chinese). A slot becomes a named group of
 * its phrases' source; one without phrases matches nothing, so that an optional slot simply falls away.
 */
export function patternSource(pattern: Pattern, slots: ReadonlyMap<string, string>, space: string): string {
  const each = (part: Pattern): string => patternSource(part, slots, space)
  switch (pattern.is) {
    case 'word':
      return space + escapeRegExp(pattern.word)
    case 'slot':
      return slots.has(pattern.name) ? `${space}(?<${pattern.name}>${slots.get(pattern.name) ?? ''})` : '(?!)'
    case 'list':
      return pattern.parts.map(each).join('')
    case 'choice':
      return `(?:${pattern.options.map(each).join('|')})`
    case 'maybe':
      return `(?:${each(pattern.part)})?`
  }
}

export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The same pattern as JSGF. `slots`: what stands for each slot; undefined when the pattern needs a slot that has none. */
export function patternJsgf(pattern: Pattern, slots: ReadonlyMap<string, string>): string | undefined {
  switch (pattern.is) {
    case 'word':
      return pattern.word
    case 'slot':
      return slots.get(pattern.name)
    case 'list': {
      const parts = pattern.parts.map((part) => patternJsgf(part, slots))
      return parts.includes(undefined) ? undefined : parts.filter((part) => part !== '').join(' ')
    }
    case 'choice': {
      const options = pattern.options
        .map((option) => patternJsgf(option, slots))
        .filter((option) => option !== undefined)
      return options.length === 0 ? undefined : `( ${options.join(' | ')} )`
    }
    case 'maybe': {
      const part = patternJsgf(pattern.part, slots)
      return part ? `[ ${part} ]` : ''
    }
  }
}
