import { toAppError } from '../../base/app-error.ts'
import { connectParent, type ParentPort } from '../../base/parent-port.ts'
import type { VadReply, VadRequest } from './vad-messages.ts'
import { windowSamples } from './vad-messages.ts'
import { beginVadMemory, loadVadModel, type VadMemory, type VadModel } from './vad-model.ts'

// The process of voice detection: one model, any number of streams, each with a memory of its own. It keeps nothing that
// matters: when it dies the main loop starts another (vad.ts).

interface Hearing {
  readonly epoch: number
  memory: VadMemory
  /** Windows of one stream are heard in order; streams do not wait for each other. */
  tail: Promise<void>
}

const parent = connectParent()
if (parent) await serve(parent)

async function serve(parent: ParentPort): Promise<void> {
  const post = (reply: VadReply) => parent.post(reply)
  const model = await loadVadModel().catch((error: unknown) => {
    post({ op: 'failed', message: toAppError(error).message })
    process.exitCode = 1
  })
  if (!model) return
  const hearings = new Map<number, Hearing>()
  parent.onMessage((message) => {
    // Only vad-link.ts writes to this port.
    const request = message as VadRequest
    if (request.op === 'close') {
      hearings.delete(request.stream)
      return
    }
    const hearing = hearingOf(hearings, request.stream, request.epoch)
    hearing.tail = hearing.tail.then(async () => {
      const probabilities = await hear(model, hearing, request.pcm)
      post({ op: 'heard', stream: request.stream, epoch: request.epoch, probabilities })
    })
  })
  post({ op: 'ready' })
}

function hearingOf(hearings: Map<number, Hearing>, stream: number, epoch: number): Hearing {
  const known = hearings.get(stream)
  if (known?.epoch === epoch) return known
  const fresh: Hearing = { epoch, memory: beginVadMemory(), tail: Promise.resolve() }
  hearings.set(stream, fresh)
  return fresh
}

async function hear(model: VadModel, hearing: Hearing, bytes: Uint8Array): Promise<number[]> {
  // A copy: what comes over a pipe may begin at an odd offset.
  const pcm = new Int16Array(new Uint8Array(bytes).buffer)
  const probabilities: number[] = []
  for (let at = 0; at + windowSamples <= pcm.length; at += windowSamples) {
    const { probability, memory } = await model.hear(hearing.memory, pcm.subarray(at, at + windowSamples))
    hearing.memory = memory
    probabilities.push(probability)
  }
  return probabilities
}
