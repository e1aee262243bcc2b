import { AppError } from '../../../base/app-error.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Thinking, ThinkingInput } from '../providers.ts'
import { type ChatMessage, completeChat, type ModelTarget } from './chat-completion.ts'
import type { ModelCall } from './completion-assembler.ts'
import {
  callsMessage,
  offerTools,
  type OfferedTools,
  readArguments,
  refusedMessage,
  resultMessage,
  systemMessage,
} from './model-prompt.ts'
import { createSentenceCutter } from './sentence-cutter.ts'

/** Shorter than what a turn waits for a sentence (answering.ts), so that the rules can still answer. */
const silenceMs = 25_000
/** Answers that only call tools; the host ends a turn's calls after eight. */
const mostRounds = 6

export interface ModelThinkingOptions {
  readonly target: ModelTarget
  /** Earlier turns of the device, oldest first. */
  readonly earlier: readonly ChatMessage[]
  readonly clock: Clock
  /** On the wall. */
  readonly now: () => Date
}

/**
 * One turn's model: text and tools go to the endpoint, calls to the host, sentences out as they are whole. An abort of the
 * input aborts the request. `think` rejects with model-… codes.
 */
export function createModelThinking(options: ModelThinkingOptions): Thinking {
  return {
    id: `model ${options.target.model}`,
    async *think(input) {
      if (input.signal.aborted) return
      const silence = createSilence(options.clock, input.signal)
      const conversation = openConversation(input, options)
      try {
        for await (const text of rounds(conversation, { input, target: options.target, signal: silence.signal })) {
          yield { text, cacheable: false }
          silence.begin()
        }
      } finally {
        // Also when nobody wants the rest: the request ends with the turn.
        silence.end()
      }
    },
  }
}

interface Conversation {
  readonly messages: ChatMessage[]
  readonly offered: OfferedTools
}

function openConversation(input: ThinkingInput, { earlier, now }: ModelThinkingOptions): Conversation {
  const { language, context, text, tools } = input
  const scene = { language, now: now(), ...(context ? { context } : {}) }
  return {
    messages: [systemMessage(scene), ...earlier, { role: 'user', content: text }],
    offered: offerTools(tools),
  }
}

interface Rounds {
  readonly input: ThinkingInput
  readonly target: ModelTarget
  readonly signal: AbortSignal
}

async function* rounds(conversation: Conversation, parts: Rounds): AsyncGenerator<string, undefined> {
  const { messages, offered } = conversation
  for (let round = 0; round < mostRounds; round++) {
    const { said, calls } = yield* oneAnswer(conversation, parts)
    if (calls.length === 0) {
      if (said.trim() === '' && round === 0) throw new AppError('model-bad-answer', 'The answer is empty')
      return undefined
    }
    messages.push(callsMessage(said, calls))
    for (const call of calls) {
      parts.signal.throwIfAborted()
      const answer = await answerCall(call, offered, parts.input)
      messages.push(answer.message)
      // A person is asked, in the server's words: there is nothing that the model could add.
      if (answer.isWaiting) return undefined
    }
  }
  parts.input.report?.note('model-circles')
  return undefined
}

async function* oneAnswer({ messages, offered }: Conversation, { target, signal }: Rounds) {
  const cutter = createSentenceCutter()
  const stream = completeChat(target, { messages, tools: offered.tools, signal })
  let said = ''
  let step = await stream.next()
  while (step.done !== true) {
    said += step.value
    yield* cutter.push(step.value)
    step = await stream.next()
  }
  yield* cutter.end()
  return { said, calls: step.value }
}

async function answerCall(
  { id, name, arguments: text }: ModelCall,
  offered: OfferedTools,
  input: ThinkingInput,
): Promise<{ readonly message: ChatMessage; readonly isWaiting: boolean }> {
  const tool = offered.find(name)
  const args = readArguments(text)
  if (!tool) return { message: refusedMessage(id, 'there is no tool of this name.'), isWaiting: false }
  if (!args) return { message: refusedMessage(id, 'the arguments are no JSON object.'), isWaiting: false }
  const call = await input.call(tool, args)
  return { message: resultMessage(id, call), isWaiting: call.errorCode === 'tool-needs-consent' }
}

/** Aborts with the turn, or with model-timeout when no sentence came for too long. */
function createSilence(clock: Clock, turn: AbortSignal) {
  const ending = new AbortController()
  const tooLong = () => ending.abort(new AppError('model-timeout', `No sentence within ${silenceMs / 1000} s`))
  let stop = clock.after(silenceMs, tooLong)
  return {
    signal: AbortSignal.any([turn, ending.signal]),
    begin(): void {
      stop()
      stop = clock.after(silenceMs, tooLong)
    },
    end(): void {
      stop()
      ending.abort()
    },
  }
}
