import type { ErrorCode } from '../contract/errors.ts'

export interface AppErrorOptions extends ErrorOptions {
  /** Facts a person or a log may need: never a secret. Values are shown as they are. */
  readonly details?: Readonly<Record<string, string | number | boolean>>
}

/** The only error class. Callers branch on `code`; people read `message`: what failed, with which value, what to do. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, string | number | boolean>>

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
    this.details = options.details ?? {}
  }
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code)
}

/** For the rims (socket, RPC call, process, CLI): anything thrown becomes one that has a code. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError('server-internal', error instanceof Error ? error.message : String(error), { cause: error })
}
