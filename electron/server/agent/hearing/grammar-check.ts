import { AppError } from '../../../base/app-error.ts'

/** Rule name → its body, of the JSGF that we write: one rule ends with ";". */
export function grammarRules(text: string): Map<string, string> {
  const rules = new Map<string, string>()
  for (const match of text.matchAll(/^(?:public )?<(\w+)> = ([^;]*);/gm)) rules.set(match[1] ?? '', match[2] ?? '')
  return rules
}

/**
 * The recogniser takes an undefined rule and a rule that reaches itself without a word, and dies or hears nothing later
 * (recipes-server-audio.md §4), so both are refused here. Throws server-internal: the text is our own making.
 */
export function checkGrammar(text: string): void {
  const rules = grammarRules(text)
  if (!/^public </m.test(text) || rules.size === 0) throw broken('it has no public rule')
  const state = new Map<string, 'open' | 'done'>()
  const visit = (name: string): void => {
    if (state.get(name) === 'done') return
    if (state.get(name) === 'open') throw broken(`rule <${name}> reaches itself`)
    const body = rules.get(name)
    if (body === undefined) throw broken(`rule <${name}> is not defined`)
    if (body.trim() === '') throw broken(`rule <${name}> is empty`)
    state.set(name, 'open')
    for (const match of body.matchAll(/<(\w+)>/g)) visit(match[1] ?? '')
    state.set(name, 'done')
  }
  for (const name of rules.keys()) visit(name)
}

function broken(why: string): AppError {
  return new AppError('server-internal', `The command grammar is broken: ${why}`)
}
