import { parentPort } from 'node:worker_threads'
import { toAppError } from '../../../base/app-error.ts'
import type { SumReply, SumRequest } from './sum-thread.ts'
import { turnUnit, workOut } from './sum.ts'

const reply = (message: SumReply) => parentPort?.postMessage(message)

// Only sum-thread.ts writes to this port, one request at a time.
parentPort?.on('message', (request: SumRequest) => {
  try {
    const value = 'formula' in request ? workOut(request.formula) : turnUnit(request.value, request.from, request.to)
    reply({ value })
  } catch (error) {
    reply({ fault: toAppError(error).message })
  }
})
