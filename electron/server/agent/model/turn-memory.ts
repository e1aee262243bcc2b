import type { Clock } from '../../../base/clock.ts'
import type { ToolCall } from '../../../contract/tool.ts'
import { fenced } from '../honest-thinking.ts'
import { modelName } from '../../tools/model-names.ts'
import type { ChatMessage } from './chat-completion.ts'

/** "A bit darker" is about what was said just now; after ten minutes it is about something else. */
const rememberedMs = 10 * 60_000
const mostTurns = 6
const mostCharacters = 6000
const longestSaid = 1000
const longestResult = 300
const mostDevices = 500

interface PastTurn {
  readonly at: number
  readonly messages: readonly ChatMessage[]
  readonly size: number
}

/** What one turn was: asked, called, said. */
export interface TurnWords {
  readonly asked: string
  readonly calls: readonly ToolCall[]
  readonly said: string
}

/** The last turns of each device, for its model; never stored. The calls are in it: without them a model learns to claim. */
export function createTurnMemory(clock: Clock) {
  const devices = new Map<string, readonly PastTurn[]>()

  function recent(deviceId: string): readonly PastTurn[] {
    const since = clock.now() - rememberedMs
    return (devices.get(deviceId) ?? []).filter(({ at }) => at >= since)
  }

  return {
    /** Oldest first, whole turns only. */
    of: (deviceId: string): ChatMessage[] => recent(deviceId).flatMap(({ messages }) => messages),
    add(deviceId: string, words: TurnWords): void {
      const messages = messagesOf(words)
      const turn = { at: clock.now(), messages, size: JSON.stringify(messages).length }
      const kept = [...recent(deviceId), turn].slice(-mostTurns)
      while (kept.length > 1 && kept.reduce((sum, { size }) => sum + size, 0) > mostCharacters) kept.shift()
      // The device that spoke last is the last to be forgotten.
      devices.delete(deviceId)
      devices.set(deviceId, kept)
      if (devices.size > mostDevices) devices.delete(devices.keys().next().value ?? '')
    },
    forget: () => devices.clear(),
  }
}

function messagesOf({ asked, calls, said }: TurnWords): ChatMessage[] {
  const made = calls.map((call, index) => ({ call, id: `past_${Math.round(call.startedAt)}_${index}` }))
  const called: ChatMessage[] =
    made.length === 0
      ? []
      : [
          {
            role: 'assistant',
            content: '',
            tool_calls: made.map(({ call, id }) => ({
              id,
              type: 'function',
              function: { name: modelName(call.ref.replace(/@\d+$/, '')), arguments: JSON.stringify(call.arguments) },
            })),
          },
          ...made.map(({ call, id }): ChatMessage => ({ role: 'tool', tool_call_id: id, content: resultOf(call) })),
        ]
  return [
    { role: 'user', content: asked.slice(0, longestSaid) },
    ...called,
    ...(said === '' ? [] : [{ role: 'assistant' as const, content: said.slice(0, longestSaid) }]),
  ]
}

function resultOf({ outcome, result, errorCode }: ToolCall): string {
  const text = result === undefined ? undefined : JSON.stringify(result).slice(0, longestResult)
  return fenced('result', { outcome, ...(text === undefined ? {} : { result: text }), error: errorCode })
}
