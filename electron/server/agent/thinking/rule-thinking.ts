import { toAppError } from '../../../base/app-error.ts'
import type { ToolCall } from '../../../contract/tool.ts'
import type { Thinking, ThinkingInput } from '../providers.ts'
import { type IntentCall, matchSaid } from './intent-matcher.ts'
import { capabilitiesReply, failureReply, fixedPhrase, type Reply, successReply, timeReply } from './replies.ts'
import type { Builtin } from './sentence-table.ts'
import { splitSpeech } from './sentences.ts'

/**
 * The embedded thinker: no model, only the tools' descriptors. At most one call a text; the reply follows the call, so
 * nothing is claimed before it happened. After an abort nothing more is said.
 */
export function createRuleThinking(options: { now?: () => Date } = {}): Thinking {
  const now = options.now ?? (() => new Date())
  async function answer(input: ThinkingInput): Promise<Reply> {
    const match = matchSaid({ text: input.text, language: input.language, now: now() }, input.tools)
    if (match === null) return fixedPhrase('not-understood', input.language)
    return 'builtin' in match ? builtinReply(match.builtin, input, now()) : callAndReply(match, input)
  }
  return {
    id: 'rules',
    async *think(input) {
      if (input.signal.aborted) return
      const reply = await answer(input)
      const pieces = splitSpeech(reply.text)
      for (const text of pieces) {
        // Aborted while the call ran or while the listener was busy with the last piece.
        if (isAborted(input.signal)) return
        yield { text, cacheable: reply.cacheable }
      }
    },
  }
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

function builtinReply(builtin: Builtin, input: ThinkingInput, now: Date): Reply {
  switch (builtin) {
    case 'stop':
      return fixedPhrase('stopped', input.language)
    case 'hello':
      return fixedPhrase('hello', input.language)
    case 'capabilities':
      return capabilitiesReply(input.tools, input.language)
    case 'time':
      return timeReply(now, input.language)
  }
}

async function callAndReply(match: IntentCall, input: ThinkingInput): Promise<Reply> {
  let call: ToolCall
  try {
    call = await input.call(match.tool, match.arguments)
  } catch (error) {
    // The caller records the error on the turn; the person still hears what happened.
    return failureReply('failed', toAppError(error).code, input.language)
  }
  if (call.outcome === 'ok') return successReply(match, call.result, input.language)
  return failureReply(call.outcome, call.errorCode, input.language)
}
