import { toAppError } from '../../../base/app-error.ts'
import type { ToolCall } from '../../../contract/tool.ts'
import type { Thinking, ThinkingInput } from '../providers.ts'
import { type IntentCall, type IntentMatch, matchSaid } from './intent-matcher.ts'
import { longestCommand, normaliseWords } from './normalise.ts'
import {
  capabilitiesReply,
  failureReply,
  fixedPhrase,
  impossibleReply,
  rangeReply,
  type Reply,
  successReply,
  timeReply,
} from './replies.ts'
import type { Builtin } from './sentence-table.ts'
import { splitSpeech } from './sentences.ts'
import { impossibleMoments, wallOf } from './spoken-date.ts'

/**
 * The embedded thinker: no model, only the tools' descriptors. At most one call a text; the reply follows the call, so
 * nothing is claimed before it happened. After an abort nothing more is said.
 */
export function createRuleThinking(options: { now?: () => Date } = {}): Thinking {
  const now = options.now ?? (() => new Date())
  async function answer(input: ThinkingInput): Promise<Reply> {
    const saying = { text: input.text, language: input.language, now: now() }
    const match = matchSaid(saying, input.tools)
    const forbidden = matchSaid(saying, (await input.withheld?.()) ?? [])
    // Asked all the same: the host refuses it, and the turn shows what was refused and by which rule.
    if (forbidden && 'tool' in forbidden && isSurer(forbidden, match)) return callAndReply(forbidden, input)
    if (match !== null)
      return 'builtin' in match ? builtinReply(match.builtin, input, now()) : callAndReply(match, input)
    return impossibleMoment(input, now()) ?? fixedPhrase('not-understood', input.language)
  }
  return {
    id: 'rules',
    isHonest: true,
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

/** "Turn on the lamp" where lamps are forbidden is not meant for the light that is a little like one. */
function isSurer(forbidden: IntentCall, offered: IntentMatch): boolean {
  if (offered === null) return true
  return 'tool' in offered && forbidden.confidence > offered.confidence
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

/** A command but for a time or a day that there is none of: the answer names it. */
function impossibleMoment({ text, language, tools }: ThinkingInput, now: Date): Reply | undefined {
  if (text.length > longestCommand) return undefined
  const found = impossibleMoments(normaliseWords(text, language), language, wallOf(now)).find(({ possible }) => {
    const match = matchSaid({ text: possible, language, now }, tools)
    return match !== null && 'tool' in match
  })
  return found && impossibleReply(found.said, found.is, language)
}

async function callAndReply(match: IntentCall, input: ThinkingInput): Promise<Reply> {
  if (match.outside) return rangeReply(match.outside, input.language)
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
