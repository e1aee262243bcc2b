import { AppError } from '../base/app-error.ts'
import { contract } from '../contract/rpc.ts'
import type { RpcFeatures } from './rpc/handlers.ts'

/** Rows whose feature is not joined yet. */
export function unbuilt<Area extends keyof RpcFeatures>(area: Area): RpcFeatures[Area] {
  const rows = Object.keys(contract[area]).map((row) => [
    row,
    () => {
      throw new AppError('server-internal', `${area}.${row} is not there`)
    },
  ])
  return Object.fromEntries(rows) as RpcFeatures[Area]
}
