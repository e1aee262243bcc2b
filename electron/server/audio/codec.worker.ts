import { parentPort } from 'node:worker_threads'
import { createCodecDesk } from './codec-desk.ts'
import type { CodecReply, CodecRequest, CodecResult } from './codec-messages.ts'
import { loadResampler } from './resampler.ts'

// A codec thread. Pure wasm only: it may be terminated at any time (architecture §1). Messages wait for the listener.
const resampler = await loadResampler()
const desk = createCodecDesk({ resampler, reply })
// Only codec-lane.ts writes to this port.
parentPort?.on('message', (message) => desk.handle(message as CodecRequest))

function reply(message: CodecReply): void {
  parentPort?.postMessage(message, buffers(message.result))
}

function buffers(result: CodecResult): ArrayBuffer[] {
  if ('pcm' in result) return [result.pcm.buffer as ArrayBuffer]
  if ('frames' in result) return result.frames.map((frame) => frame.buffer as ArrayBuffer)
  return []
}
