import { z } from 'zod'
import { isDeeperThan } from '../../base/json-depth.ts'

// JSON-RPC 2.0 as a board speaks it (iotta-protocol.md §4): a tolerant reader with the session's limits.

export const maxTextBytes = 64 * 1024
const maxDepth = 32

const Id = z.union([z.string().max(128), z.number().int()])
const Answer = z.union([
  z.object({ id: Id, result: z.record(z.string(), z.unknown()) }),
  z.object({ id: Id.nullable(), error: z.object({ code: z.number(), message: z.string() }) }),
])
const Question = z.object({ id: Id.optional(), method: z.string().min(1).max(128) })

export type RpcId = z.infer<typeof Id>

export type FromBoard =
  | { readonly type: 'result'; readonly id: RpcId; readonly result: Readonly<Record<string, unknown>> }
  | { readonly type: 'error'; readonly id: RpcId | null; readonly code: number; readonly message: string }
  | { readonly type: 'request'; readonly id: RpcId; readonly method: string }
  | { readonly type: 'notification'; readonly method: string }
  | { readonly type: 'too-large' }
  | { readonly type: 'broken'; readonly detail: string; readonly id: RpcId | undefined }

/** The edge of the tool channel. A broken answer keeps its id, so that its call ends at once. */
export function parseFromBoard(text: string): FromBoard {
  if (Buffer.byteLength(text) > maxTextBytes || isDeeperThan(text, maxDepth)) return { type: 'too-large' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { type: 'broken', detail: 'not JSON', id: undefined }
  }
  const question = Question.safeParse(value).data
  if (question) {
    const { id, method } = question
    return id === undefined ? { type: 'notification', method } : { type: 'request', id, method }
  }
  const answer = Answer.safeParse(value)
  if (!answer.success) {
    return { type: 'broken', detail: 'no JSON-RPC message', id: z.object({ id: Id }).safeParse(value).data?.id }
  }
  if ('result' in answer.data) return { type: 'result', ...answer.data }
  return { type: 'error', id: answer.data.id, ...answer.data.error }
}
