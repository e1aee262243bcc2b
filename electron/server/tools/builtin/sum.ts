import {
  all,
  type ConstantNode,
  create,
  type FactoryFunctionMap,
  type FunctionNode,
  type MathNode,
  type OperatorNode,
  type SymbolNode,
} from 'mathjs'
import { AppError } from '../../../base/app-error.ts'
import { ownUnits } from './units.ts'

// The door to mathjs. It takes half a second to load and parses what anybody says, so it lives in a thread
// (sum.worker.ts). Of its language only plain sums of doubles are let through: nothing of them grows.

const maxLength = 200
const math = create(all as FactoryFunctionMap, { number: 'number', predictable: true, matrix: 'Array' })
math.import(
  { mod: (left: number, right: number) => (right === 0 ? NaN : left - right * Math.floor(left / right)) },
  { override: true },
)
for (const [name, definition] of Object.entries(ownUnits)) math.createUnit(name, definition)

const operators = new Set([
  'add', 'subtract', 'multiply', 'divide', 'pow', 'mod', 'factorial', 'unaryMinus', 'unaryPlus',
]) // prettier-ignore

const functions = new Set('sqrt cbrt abs round floor ceil exp ln log log2 sin cos tan'.split(' '))
const constants = new Set(['pi', 'e'])
/** `log` to the base of ten, as a person with a pocket calculator means it. */
const renamed = new Map([
  ['ln', (value: number): unknown => math.log(value)],
  ['log', (value: number): unknown => math.log10(value)],
])

function bad(why: string, cause?: unknown): AppError {
  return new AppError('helper-bad-sum', `That cannot be worked out: ${why}`, { cause })
}

/**
 * The value of a formula: + − * / ^ mod, %, !, brackets, sqrt, cbrt, abs, round, floor, ceil, exp, ln, log, log2, sin,
 * cos, tan (radians), pi, e. At most 200 characters. Throws helper-bad-sum, also for what has no finite value.
 */
export function workOut(formula: string): number {
  if (formula.length > maxLength) throw bad(`it is longer than ${maxLength} characters`)
  const tree = parsed(formula.replace(/×/g, '*').replace(/÷/g, '/').replace(/−/g, '-'))
  check(tree)
  const value = evaluated(tree)
  if (typeof value !== 'number') throw bad('it has no value')
  if (!Number.isFinite(value)) throw bad('it has no finite value')
  return value
}

function parsed(formula: string): MathNode {
  try {
    return math.parse(formula)
  } catch (cause) {
    throw bad(cause instanceof Error ? cause.message.slice(0, 80) : 'it is no formula', cause)
  }
}

function evaluated(tree: MathNode): unknown {
  try {
    return tree.compile().evaluate(new Map(renamed))
  } catch (cause) {
    throw bad(cause instanceof Error ? cause.message.slice(0, 80) : 'it has no value', cause)
  }
}

/** Everything that is not named here (assignment, ranges, matrices, text, other functions) is refused before it runs. */
function check(node: MathNode): void {
  switch (node.type) {
    case 'ConstantNode':
      if (typeof (node as ConstantNode).value !== 'number') throw bad('only numbers are known')
      return
    case 'SymbolNode':
      if (!constants.has((node as SymbolNode).name))
        throw bad(`"${(node as SymbolNode).name.slice(0, 20)}" is not known`)
      return
    case 'FunctionNode': {
      const { fn, args } = node as FunctionNode
      // What is called may be any expression: only a plain name is let through.
      const called: MathNode = fn
      if (called.type !== 'SymbolNode' || !functions.has(fn.name) || args.length !== 1)
        throw bad(`"${called.toString().slice(0, 20)}" is not known`)
      args.forEach(check)
      return
    }
    case 'OperatorNode': {
      const { fn, op }: { readonly fn: string; readonly op: string } = node as OperatorNode
      if (!operators.has(fn)) throw bad(`${op} is not known`)
      break
    }
    case 'ParenthesisNode':
      break
    default:
      throw bad('it is no plain sum')
  }
  node.forEach(check)
}

/** A value in other units, each an expression of mathjs or of `ownUnits`. Throws helper-bad-sum. */
export function turnUnit(value: number, from: string, to: string): number {
  try {
    return math.unit(value, from).toNumber(to)
  } catch (cause) {
    throw bad('they measure different things', cause)
  }
}
