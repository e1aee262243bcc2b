import type { Clock } from '../../base/clock.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { type ToolCall, toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { DeviceTools } from '../tools/device-tools.ts'
import type { TurnOutput } from './turn-output.ts'
import type { TurnRecord } from './turn-recorder.ts'

/** A model that calls in circles is stopped (reliability.md C 45). */
const maxCalls = 8

export interface TurnToolsParts {
  readonly tools: Pick<DeviceTools, 'callTool'>
  readonly output: TurnOutput
  readonly record: TurnRecord
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The calls of one turn, each recorded with the version that was offered. The result never rejects. */
export function createTurnTools(parts: TurnToolsParts) {
  const { record, output, clock, signal } = parts
  let calls = 0

  return async function call(tool: ToolVersion, args: Readonly<Record<string, unknown>>): Promise<ToolCall> {
    output.working('tool')
    const span = record.begin('tool', { ref: toolRef(tool) })
    const refusal = refuse(tool, ++calls)
    const done: ToolCall = refusal
      ? refusedCall(tool, args, { code: refusal, at: clock.now() })
      : await parts.tools.callTool({
          deviceId: record.turn.deviceId,
          name: tool.name,
          arguments: args,
          tool,
          signal,
        })
    span.end({ detail: { outcome: done.outcome }, ...(done.errorCode ? { error: done.errorCode } : {}) })
    record.addCall(done)
    if (done.outcome === 'failed' || done.outcome === 'timeout') output.failure('tool_failed')
    return done
  }
}

/** `destructive` needs a person's yes, outside of any words a model makes (reliability.md C 43). */
function refuse(tool: ToolVersion, count: number): ErrorCode | undefined {
  if (tool.danger === 'destructive') return 'tool-needs-consent'
  return count > maxCalls ? 'tool-too-many' : undefined
}

function refusedCall(
  tool: ToolVersion,
  args: Readonly<Record<string, unknown>>,
  why: { code: ErrorCode; at: number },
): ToolCall {
  return {
    ref: toolRef(tool),
    arguments: { ...args },
    outcome: 'refused',
    errorCode: why.code,
    errorMessage: why.code === 'tool-too-many' ? `More than ${maxCalls} calls in one turn` : 'A person must start it',
    startedAt: why.at,
    endedAt: why.at,
  }
}
