import { AppError } from '../../../base/app-error.ts'

// A small calculator of our own: a general one brings functions that assign and import, and takes longer to load than
// a board may wait for its next frame.

const maxLength = 200
const maxDepth = 20

const functions: Readonly<Record<string, (value: number) => number>> = {
  sqrt: Math.sqrt, cbrt: Math.cbrt, abs: Math.abs, round: Math.round, floor: Math.floor, ceil: Math.ceil, exp: Math.exp,
  ln: Math.log, log: Math.log10, log2: Math.log2, sin: Math.sin, cos: Math.cos, tan: Math.tan,
} // prettier-ignore
const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }

function bad(why: string): AppError {
  return new AppError('helper-bad-sum', `That cannot be worked out: ${why}`)
}

interface Reader {
  peek(): string | undefined
  take(): string | undefined
}

/**
 * The value of a formula: + − * / ^ mod, %, !, brackets, sqrt, cbrt, abs, round, floor, ceil, exp, ln, log, log2, sin,
 * cos, tan (radians), pi, e. At most 200 characters. Throws helper-bad-sum, also for what has no finite value.
 */
export function workOut(formula: string): number {
  if (formula.length > maxLength) throw bad(`it is longer than ${maxLength} characters`)
  const tokens =
    formula
      .replace(/×/g, '*')
      .replace(/÷/g, '/')
      .replace(/−/g, '-')
      .match(/\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+|[a-z]+[0-9]?|\S/gi) ?? []
  let at = 0
  const reader: Reader = { peek: () => tokens[at], take: () => tokens[at++] }
  const value = sum(reader, 0)
  if (at < tokens.length) throw bad(`"${tokens[at] ?? ''}" is not expected`)
  if (!Number.isFinite(value)) throw bad('it has no finite value')
  return value
}

function sum(reader: Reader, depth: number): number {
  let value = product(reader, depth)
  for (let sign = reader.peek(); sign === '+' || sign === '-'; sign = reader.peek()) {
    reader.take()
    const next = product(reader, depth)
    value = sign === '+' ? value + next : value - next
  }
  return value
}

function product(reader: Reader, depth: number): number {
  let value = signed(reader, depth)
  for (let sign = reader.peek(); sign === '*' || sign === '/' || sign === 'mod'; sign = reader.peek()) {
    reader.take()
    const next = signed(reader, depth)
    if (sign !== '*' && next === 0) throw bad('it divides by zero')
    value = sign === '*' ? value * next : sign === '/' ? value / next : value - next * Math.floor(value / next)
  }
  return value
}

function signed(reader: Reader, depth: number): number {
  if (depth > maxDepth) throw bad('it is nested too deeply')
  if (reader.peek() !== '-') return power(reader, depth)
  reader.take()
  return -signed(reader, depth + 1)
}

/** Binds to the right: 2^3^2 is 512. */
function power(reader: Reader, depth: number): number {
  let value = atom(reader, depth)
  for (let sign = reader.peek(); sign === '!' || sign === '%'; sign = reader.peek()) {
    reader.take()
    value = sign === '%' ? value / 100 : factorial(value)
  }
  if (reader.peek() !== '^') return value
  reader.take()
  return value ** signed(reader, depth + 1)
}

function factorial(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 170)
    throw bad('only whole numbers up to 170 have a factorial here')
  let made = 1
  for (let next = 2; next <= value; next++) made *= next
  return made
}

function atom(reader: Reader, depth: number): number {
  const token = reader.take()
  if (token === undefined) throw bad('something is missing')
  if (/^[\d.]/.test(token)) return Number(token)
  if (token === '(') return bracket(reader, depth)
  if (Object.hasOwn(constants, token)) return constants[token] ?? 0
  const apply = Object.hasOwn(functions, token) ? functions[token] : undefined
  if (!apply || reader.take() !== '(') throw bad(`"${token.slice(0, 20)}" is not known`)
  return apply(bracket(reader, depth))
}

function bracket(reader: Reader, depth: number): number {
  if (depth > maxDepth) throw bad('it is nested too deeply')
  const value = sum(reader, depth + 1)
  if (reader.take() !== ')') throw bad('a bracket is not closed')
  return value
}

/** As a person says it: at most six places, no long tails of binary fractions. */
export function sayNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value)
  const rounded = Number(value.toPrecision(10))
  return Math.abs(rounded) >= 1e15 || (rounded !== 0 && Math.abs(rounded) < 1e-6)
    ? rounded.toExponential(4)
    : String(Number(rounded.toFixed(6)))
}
