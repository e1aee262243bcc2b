import { type ToolCall, toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { ToolHost } from '../tools/tool-host.ts'
import type { TurnOutput } from './turn-output.ts'
import type { TurnRecord } from './turn-recorder.ts'

export interface TurnToolsParts {
  readonly tools: Pick<ToolHost, 'callTool'>
  readonly output: TurnOutput
  readonly record: TurnRecord
  readonly signal: AbortSignal
}

/**
 * The calls of one turn, each recorded with the version that was offered. The result never rejects; what a turn may
 * not do (too many calls, destructive ones without a yes) the host refuses.
 */
export function createTurnTools({ record, output, signal, tools }: TurnToolsParts) {
  return async function call(tool: ToolVersion, args: Readonly<Record<string, unknown>>): Promise<ToolCall> {
    output.working('tool')
    const span = record.begin('tool', { ref: toolRef(tool) })
    const { id, deviceId } = record.turn
    const caller = { kind: 'turn', id } as const
    const done = await tools.callTool({ deviceId, name: tool.name, arguments: args, tool, signal, caller })
    span.end({ detail: { outcome: done.outcome }, ...(done.errorCode ? { error: done.errorCode } : {}) })
    record.addCall(done)
    if (done.outcome === 'failed' || done.outcome === 'timeout') output.failure('tool_failed')
    return done
  }
}
