import { toAppError } from '../../../base/app-error.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { ToolCall } from '../../../contract/tool.ts'
import { failurePhrase } from '../failure-phrases.ts'
import { thinkHonestly } from '../honest-thinking.ts'
import type { Thinking, ThinkingInput } from '../providers.ts'
import { matchSaid } from '../thinking/intent-matcher.ts'
import { failureReply, fixedPhrase } from '../thinking/replies.ts'
import { createRuleThinking } from '../thinking/rule-thinking.ts'
import type { ModelConnection } from './model-connection.ts'
import { createModelThinking } from './model-thinking.ts'
import { createTurnMemory } from './turn-memory.ts'

/** A whole sentence that names the tool or its parameter; what says less is left to the model. */
const certain = 0.85

export interface ThinkingChainOptions {
  readonly connection: Pick<ModelConnection, 'isOn' | 'rulesFirst' | 'target' | 'noteResult'>
  readonly clock: Clock
  /** On the wall. */
  readonly now: () => Date
  readonly log: Log
}

interface Sentence {
  readonly text: string
  readonly cacheable: boolean
}

/** What came of one turn so far. */
interface Course {
  readonly calls: ToolCall[]
  readonly said: string[]
}

/**
 * The rules and, where a person connected one, a model. What the rules understand for sure is answered at once; the rest
 * goes to the model, and comes back to the rules when the model cannot answer. Never rejects.
 */
export function createThinkingChain(options: ThinkingChainOptions): Thinking {
  const { connection } = options
  const log = options.log.child('model')
  const rules = createRuleThinking({ now: options.now })
  const memory = createTurnMemory(options.clock)

  async function* askModel(input: ThinkingInput, course: Course): AsyncGenerator<Sentence, undefined> {
    const { report, signal } = input
    try {
      const target = connection.target()
      const earlier = input.deviceId === undefined ? [] : memory.of(input.deviceId)
      const model = createModelThinking({ ...options, target, earlier })
      report?.answeredBy(model.id)
      const onUndone = () => report?.note('tool-not-called')
      yield* thinkHonestly({ thinking: model, input, calls: () => course.calls, onUndone })
      if (!signal.aborted) connection.noteResult(null)
    } catch (error) {
      if (signal.aborted) return undefined
      const { code, message } = toAppError(error)
      log.warn('the model did not answer', { code, message, device: input.deviceId })
      connection.noteResult(code)
      report?.note(code)
      yield* fallBack(input, course, { rules, now: options.now })
    }
    return undefined
  }

  return {
    get id() {
      return connection.isOn() ? 'model' : rules.id
    },
    isHonest: true,
    async *think(input) {
      if (!connection.isOn()) {
        yield* rules.think(input)
        return
      }
      const course: Course = { calls: [], said: [] }
      const watched = watchCalls(input, course)
      const isSure = connection.rulesFirst() && isUnderstood(input, { now: options.now, least: certain })
      if (isSure) input.report?.answeredBy(rules.id)
      try {
        for await (const sentence of isSure ? rules.think(watched) : askModel(watched, course)) {
          course.said.push(sentence.text)
          yield sentence
        }
      } finally {
        if (input.deviceId !== undefined) {
          memory.add(input.deviceId, { asked: input.text, calls: course.calls, said: course.said.join(' ') })
        }
      }
    },
  }
}

async function* fallBack(
  input: ThinkingInput,
  course: Course,
  { rules, now }: { rules: Thinking; now: () => Date },
): AsyncGenerator<Sentence, undefined> {
  const last = course.calls.at(-1)
  // What was done is not done again by another thinker; what was said is not said twice.
  if (course.said.length > 0) return undefined
  if (last) {
    const { outcome, errorCode } = last
    yield outcome === 'ok' ? fixedPhrase('done', input.language) : failureReply(outcome, errorCode, input.language)
    return undefined
  }
  input.report?.answeredBy(rules.id)
  if (isUnderstood(input, { now, least: 0 })) yield* rules.think(input)
  else yield failurePhrase('thinking-failed', input.language)
  return undefined
}

function watchCalls(input: ThinkingInput, { calls }: Course): ThinkingInput {
  return {
    ...input,
    async call(tool, args) {
      const done = await input.call(tool, args)
      calls.push(done)
      return done
    },
  }
}

function isUnderstood(input: ThinkingInput, { now, least }: { now: () => Date; least: number }): boolean {
  const match = matchSaid({ text: input.text, language: input.language, now: now() }, input.tools)
  return match !== null && ('builtin' in match || match.confidence >= least)
}
