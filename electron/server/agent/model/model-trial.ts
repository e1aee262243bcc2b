import { AppError, toAppError } from '../../../base/app-error.ts'
import type { Clock } from '../../../base/clock.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import type { ModelAnswer, ModelTestStep } from '../../../contract/model.ts'
import type { ToolVersion } from '../../../contract/tool.ts'
import type { SpokenLanguage } from '../providers.ts'
import { type ChatMessage, type ChatTool, completeChat, type ModelTarget } from './chat-completion.ts'
import type { ModelCall } from './completion-assembler.ts'
import { offerTools, readArguments, systemMessage } from './model-prompt.ts'

/** The first request may have to wait until the model is loaded. */
const patienceMs = 90_000
const longestShown = 300

export interface TrialOptions {
  readonly target: ModelTarget
  readonly clock: Clock
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** With a code of ours. */
export type TrialStep = ModelTestStep & { readonly code: ErrorCode | null }

const lampTool: ChatTool = {
  type: 'function',
  function: {
    name: 'set_lamp',
    description: 'Turns the lamp on or off.',
    parameters: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
  },
}

/** Says hello, then asks for a call of a made-up lamp: how soon the first token comes, and whether tools can be called. */
export async function* testModel(options: TrialOptions): AsyncGenerator<TrialStep, undefined> {
  const hello = await askOnce(options, { text: 'Say hello in one short sentence.', language: 'en', tools: [] })
  yield { step: 'first-token', ms: hello.firstMs ?? hello.ms, code: hello.code, detail: '' }
  if (hello.code !== null) return undefined
  yield { step: 'answer', ms: hello.ms, code: null, detail: hello.said.trim().slice(0, longestShown) }
  const lamp = await askOnce(options, { text: 'Turn on the lamp.', language: 'en', tools: [lampTool] })
  const call = lamp.calls.find(({ name }) => name === lampTool.function.name)
  const isRight = call !== undefined && readArguments(call.arguments)?.['on'] === true
  const shown = call ? `${call.name} ${call.arguments}` : lamp.said.trim()
  const code = lamp.code ?? (isRight ? null : 'model-no-tools')
  yield { step: 'tool-call', ms: lamp.ms, code, detail: shown.slice(0, longestShown) }
  return undefined
}

export interface Question {
  readonly tool: ToolVersion
  /** With the tool itself. */
  readonly offered: readonly ToolVersion[]
  readonly phrases: readonly { readonly phrase: string; readonly language: SpokenLanguage }[]
  readonly fits: (tool: ToolVersion, args: Readonly<Record<string, unknown>>) => boolean
}

/** Which tool the model would call for each phrase, and how: the calls go nowhere. Ends after a failed request. */
export async function* askModel(question: Question, options: TrialOptions): AsyncGenerator<ModelAnswer, undefined> {
  const { tool, fits } = question
  // The tool itself first: it is never the one that is left out of a long list.
  const offered = offerTools([tool, ...question.offered.filter(({ name }) => name !== tool.name)])
  for (const { phrase, language } of question.phrases) {
    const { said, calls, ms, code } = await askOnce(options, { text: phrase, language, tools: offered.tools })
    const [call] = calls
    const chosen = call && (offered.find(call.name)?.name ?? call.name)
    const args = call && readArguments(call.arguments)
    const known = call && offered.find(call.name)
    yield {
      phrase,
      language,
      chosen: chosen ?? null,
      arguments: args ?? null,
      hit: chosen === tool.name,
      fits: call ? known !== undefined && args !== undefined && fits(known, args) : null,
      said: said.trim().slice(0, longestShown),
      ms,
      code,
    }
    if (code !== null) return undefined
  }
  return undefined
}

interface Asked {
  readonly said: string
  readonly calls: readonly ModelCall[]
  readonly firstMs: number | null
  readonly ms: number
  readonly code: ErrorCode | null
}

/** One request, measured. Rejects only when the signal aborts. */
async function askOnce(
  { target, clock, now, signal }: TrialOptions,
  { text, language, tools }: { text: string; language: SpokenLanguage; tools: readonly ChatTool[] },
): Promise<Asked> {
  const messages: ChatMessage[] = [systemMessage({ language, now: now() }), { role: 'user', content: text }]
  const ending = new AbortController()
  const tooLong = new AppError('model-timeout', `No whole answer within ${patienceMs / 1000} s`)
  const stop = clock.after(patienceMs, () => ending.abort(tooLong))
  const startedAt = clock.now()
  const since = () => Math.round(clock.now() - startedAt)
  let said = ''
  let firstMs: number | null = null
  try {
    const stream = completeChat(target, { messages, tools, signal: AbortSignal.any([signal, ending.signal]) })
    let step = await stream.next()
    firstMs = since()
    while (step.done !== true) {
      said += step.value
      step = await stream.next()
    }
    return { said, calls: step.value, firstMs, ms: since(), code: null }
  } catch (error) {
    signal.throwIfAborted()
    return { said, calls: [], firstMs, ms: since(), code: toAppError(error).code }
  } finally {
    stop()
  }
}
