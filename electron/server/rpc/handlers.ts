import type { InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import { ORPCError, implement } from '@orpc/server'
import { AppError, isAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import type { WireError } from '../../contract/errors.ts'
import { contract } from '../../contract/rpc.ts'
import type { Account } from '../../contract/server-info.ts'
import { mintSecret } from '../devices/secret.ts'

type Contract = typeof contract
type Inputs = InferContractRouterInputs<Contract>
type Outputs = InferContractRouterOutputs<Contract>

export interface RpcCall {
  readonly account: Account
  /** Aborts when the caller lets go of a stream or its socket closes. */
  readonly signal: AbortSignal
}

/** A stream is any async iterable; its rows are checked against the contract on the way out. */
type Answer<Output> = [Output] extends [AsyncIterable<infer Item>] ? AsyncIterable<Item> : Promise<Output> | Output

/** What the console may ask, one function a row of `contract/rpc.ts`: a missing one does not compile. */
export type RpcFeatures = {
  readonly [Area in keyof Contract]: {
    readonly [Row in keyof Contract[Area]]: (
      input: Inputs[Area][Row & keyof Inputs[Area]],
      call: RpcCall,
    ) => Answer<Outputs[Area][Row & keyof Outputs[Area]]>
  }
}

export interface RpcContext {
  readonly account: Account
}

type AnyFeature = (input: unknown, call: RpcCall) => unknown

interface AnyProcedure {
  handler(run: (options: { input: unknown; context: RpcContext; signal?: AbortSignal }) => Promise<unknown>): object
}

/** The router: every row of the contract leads to the feature of the same name. */
export function createRpcRouter(features: RpcFeatures, log: Log) {
  const router = implement(contract).$context<RpcContext>()
  const rows = Object.keys(contract).flatMap((area) =>
    Object.keys(contract[area as keyof Contract]).map((row) => ({ area, row })),
  )
  const built: Record<string, Record<string, object>> = {}
  for (const { area, row } of rows) {
    // Both tables have the contract's shape, which the type of `features` has proved.
    const feature = (features as unknown as Record<string, Record<string, AnyFeature>>)[area]?.[row]
    const procedure = (router as unknown as Record<string, Record<string, AnyProcedure>>)[area]?.[row]
    if (!feature || !procedure) throw new AppError('server-internal', `The RPC row ${area}.${row} has no feature`)
    const name = `${area}.${row}`
    built[area] = {
      ...built[area],
      [row]: procedure.handler(async ({ input, context, signal = new AbortController().signal }) => {
        try {
          const answer = await feature(input, { account: context.account, signal })
          return isStream(answer) ? guardStream(answer, { name, log, signal }) : answer
        } catch (error) {
          throw toWire(error, name, log)
        }
      }),
    }
  }
  return router.router(built as unknown as Parameters<typeof router.router>[0])
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
}

/** A stream that fails says so in the wire form, and one that is let go of is told at once. */
async function* guardStream(
  stream: AsyncIterable<unknown>,
  { name, log, signal }: { name: string; log: Log; signal: AbortSignal },
): AsyncGenerator {
  const iterator = stream[Symbol.asyncIterator]()
  const stop = () =>
    void iterator.return?.().catch((error: unknown) => log.warn('stream did not end well', { name, error }))
  signal.addEventListener('abort', stop)
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  } catch (error) {
    throw toWire(error, name, log)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** `data` is the WireError. What is not ours becomes 'server-internal' with an id that the log has too. */
export function toWire(error: unknown, name: string, log: Log): ORPCError<string, WireError> {
  if (error instanceof ORPCError) {
    if (isWireError(error.data)) return error as ORPCError<string, WireError>
    // An answer that breaks its own contract is our fault, a broken input is the caller's.
    if (error.code !== 'BAD_REQUEST') return internal(error, name, log)
    const wire: WireError = { code: 'server-bad-request', message: `The input of ${name} is not valid` }
    return new ORPCError('BAD_REQUEST', { message: wire.message, data: wire })
  }
  if (isAppError(error) && error.code !== 'server-internal') {
    return new ORPCError('APP_ERROR', {
      status: 400,
      message: error.message,
      data: { code: error.code, message: error.message },
    })
  }
  return internal(error, name, log)
}

function internal(error: unknown, name: string, log: Log): ORPCError<string, WireError> {
  const id = mintSecret().slice(0, 8)
  log.error('call failed', { name, id, error })
  const wire: WireError = { code: 'server-internal', message: `Something failed inside the server (${id})` }
  return new ORPCError('INTERNAL_SERVER_ERROR', { message: wire.message, data: wire })
}

function isWireError(data: unknown): data is WireError {
  return (
    typeof data === 'object' && data !== null && 'code' in data && 'message' in data && Object.keys(data).length === 2
  )
}
