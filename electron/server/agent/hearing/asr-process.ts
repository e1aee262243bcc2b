import { toAppError } from '../../../base/app-error.ts'
import { connectParent, type ParentPort } from '../../../base/parent-port.ts'
import { type FromRecogniser, lanesPerProcess, type ToRecogniser } from './asr-messages.ts'
import { createLane, type Lane } from './lane.ts'
import { findSphinxFiles } from './pocketsphinx-files.ts'
import { openSphinxLibrary, type SphinxLibrary } from './pocketsphinx-library.ts'

/** Bytes from another process may start at an odd offset, where no Int16Array can: they are copied. */
function samplesOf(bytes: Uint8Array): Int16Array {
  const copy = new Uint8Array(bytes.byteLength - (bytes.byteLength % 2))
  copy.set(bytes.subarray(0, copy.length))
  return new Int16Array(copy.buffer)
}

function serve(port: ParentPort, library: SphinxLibrary): void {
  const post = (message: FromRecogniser): void => port.post(message)
  const lanes: Lane[] = [createLane(library)]
  const busy = new Map<number, { lane: Lane; partial: string }>()

  function freeLane(): Lane | undefined {
    const used = new Set([...busy.values()].map(({ lane }) => lane))
    const free = lanes.find((lane) => !used.has(lane))
    if (free || lanes.length >= lanesPerProcess) return free
    const made = createLane(library)
    lanes.push(made)
    return made
  }
  function handle(message: ToRecogniser): void {
    if (message.type === 'lookup') {
      post({ type: 'looked-up', id: message.id, known: message.words.filter((word) => lanes[0]?.knows(word)) })
      return
    }
    if (message.type === 'start') {
      const lane = freeLane()
      if (!lane) {
        post({ type: 'failed', id: message.id, message: 'Every recogniser lane is in use' })
        return
      }
      lane.start(message)
      busy.set(message.id, { lane, partial: '' })
      return
    }
    const utterance = busy.get(message.id)
    if (!utterance) return
    if (message.type === 'audio') {
      const text = utterance.lane.hear(samplesOf(message.pcm))
      if (text !== utterance.partial) post({ type: 'partial', id: message.id, text })
      utterance.partial = text
      return
    }
    busy.delete(message.id)
    if (message.type === 'cancel') utterance.lane.drop()
    else {
      const swaps = lanes.reduce((sum, lane) => sum + lane.swaps(), 0)
      post({ type: 'final', id: message.id, ...utterance.lane.finish(), swaps })
    }
  }
  port.onMessage((message) => {
    // Only our own server is on the other side.
    const known = message as ToRecogniser
    try {
      handle(known)
    } catch (error) {
      busy.get(known.id)?.lane.drop()
      busy.delete(known.id)
      post({ type: 'failed', id: known.id, message: toAppError(error).message })
    }
  })
  post({ type: 'ready' })
}

const port = connectParent()
if (port) {
  try {
    const files = findSphinxFiles()
    if (files) serve(port, openSphinxLibrary(files))
    else
      port.post({
        type: 'missing',
        message: 'PocketSphinx or its English model is not installed',
      } satisfies FromRecogniser)
  } catch (error) {
    port.post({ type: 'missing', message: toAppError(error).message } satisfies FromRecogniser)
  }
}
