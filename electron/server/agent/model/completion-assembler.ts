import { z } from 'zod'
import { AppError } from '../../../base/app-error.ts'
import { isDeeperThan } from '../../../base/json-depth.ts'

/** A call as the model wrote it: nothing of it was checked. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  /** JSON, or what the model took for it. */
  readonly arguments: string
}

const deepest = 64
/** More calls in one answer than a turn may make (reliability.md C 45). */
const mostCalls = 16
const longestName = 128
const longestId = 256
const longestArguments = 16 * 1024
const longestText = 64 * 1024

const Delta = z.object({
  content: z.string().nullish(),
  tool_calls: z
    .array(
      z.object({
        index: z.number().int().min(0).optional(),
        id: z.string().nullish(),
        function: z.object({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
      }),
    )
    .nullish(),
})

/** A piece of a stream (`delta`), or a whole answer of a server that does not stream (`message`). */
const Piece = z.object({
  choices: z.array(z.object({ delta: Delta.nullish(), message: Delta.nullish() })).optional(),
  error: z.unknown().optional(),
})

interface OpenCall {
  id: string
  name: string
  arguments: string
}

/**
 * Puts one streamed answer together. Text is handed on as it comes; calls are whole only at the end. Throws
 * model-bad-answer, model-refused (the stream tells an error), model-flooded beyond a limit.
 */
export function createAssembler() {
  const calls = new Map<number, OpenCall>()
  let textLength = 0

  /** Some servers leave the index out: an id that is new is another call, no id goes on with the last one. */
  function placeOf(index: number | undefined, id: string | null | undefined): number {
    if (index !== undefined) return index
    const last = [...calls.keys()].at(-1)
    if (last === undefined) return 0
    const known = [...calls].find(([, call]) => call.id === id)?.[0]
    if (known !== undefined) return known
    return id ? Math.max(...calls.keys()) + 1 : last
  }

  function openCall(place: number): OpenCall {
    const known = calls.get(place)
    if (known) return known
    if (calls.size >= mostCalls) throw new AppError('model-flooded', `More than ${mostCalls} calls in one answer`)
    const made = { id: '', name: '', arguments: '' }
    calls.set(place, made)
    return made
  }

  function addCalls(deltas: NonNullable<z.infer<typeof Delta>['tool_calls']>): void {
    for (const { index, id, function: named } of deltas) {
      const call = openCall(placeOf(index, id))
      if (id) call.id = id
      // The name comes whole, and from some servers again with each piece.
      if (named?.name && named.name !== call.name) call.name += named.name
      call.arguments += argumentText(named?.arguments)
      if (call.arguments.length > longestArguments) {
        throw new AppError('model-flooded', `The arguments of a call have more than ${longestArguments / 1024} KiB`)
      }
      if (call.name.length > longestName || call.id.length > longestId) {
        throw new AppError('model-flooded', 'The name or id of a call is too long')
      }
    }
  }

  return {
    /** The text that this piece adds; '' when it adds none. */
    add(data: string): string {
      const piece = readPiece(data)
      if (piece.error !== undefined && piece.error !== null) {
        throw new AppError('model-refused', `The model's server says: ${errorMessage(piece.error)}`)
      }
      const [choice] = piece.choices ?? []
      const delta = choice?.delta ?? choice?.message
      if (!delta) return ''
      if (delta.tool_calls) addCalls(delta.tool_calls)
      const text = delta.content ?? ''
      textLength += text.length
      if (textLength > longestText) throw new AppError('model-flooded', 'The answer is longer than 64 Ki characters')
      return text
    },
    /** In the order of the stream; one without a name is none. */
    calls: (): ModelCall[] =>
      [...calls].flatMap(([place, call]) => (call.name === '' ? [] : [{ ...call, id: call.id || `call_${place}` }])),
  }
}

function readPiece(data: string): z.infer<typeof Piece> {
  if (isDeeperThan(data, deepest)) throw new AppError('model-bad-answer', 'A piece of the answer is nested too deep')
  try {
    return Piece.parse(JSON.parse(data))
  } catch (cause) {
    throw new AppError('model-bad-answer', `A piece of the answer is not readable: ${data.slice(0, 120)}`, { cause })
  }
}

/** A text in the standard; Ollama's older versions send the object itself. */
function argumentText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What an error body says, short: `{error: {message}}`, `{error: "…"}` or plain text. */
export function errorMessage(error: unknown): string {
  const inner = typeof error === 'object' && error !== null && 'error' in error ? error.error : error
  const message = typeof inner === 'object' && inner !== null && 'message' in inner ? inner.message : inner
  const text = typeof message === 'string' ? message : (JSON.stringify(message) as string | undefined)
  return (text ?? '').replace(/\s+/g, ' ').slice(0, 300)
}
