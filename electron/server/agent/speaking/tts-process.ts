import { toAppError } from '../../../base/app-error.ts'
import { connectParent, type ParentPort } from '../../../base/parent-port.ts'
import { type Flite, loadFlite } from './flite.ts'
import type { FromSynthesiser, ToSynthesiser } from './tts-messages.ts'

/** The first run also compiles what it reaches, five times as slow: done before anybody listens. */
const firstWords = 'Okay, ready.'

function serve(port: ParentPort, flite: Flite): void {
  const post = (message: FromSynthesiser): void => port.post(message)
  const queue: { id: number; text: string }[] = []
  let isScheduled = false

  function speak({ id, text }: { id: number; text: string }): void {
    try {
      const pcm = flite.synthesise(text)
      post({ type: 'spoken', id, pcm: new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength) })
    } catch (error) {
      post({ type: 'failed', id, message: toAppError(error).message })
    }
  }
  // One sentence a turn of the loop, so that a cancel can overtake the sentences that wait.
  function next(): void {
    const job = queue.shift()
    if (job) speak(job)
    else flite.prepare()
    isScheduled = job !== undefined
    if (isScheduled) setImmediate(next)
  }
  port.onMessage((message) => {
    // Only our own server is on the other side.
    const known = message as ToSynthesiser
    if (known.type === 'speak') queue.push(known)
    else {
      const at = queue.findIndex(({ id }) => id === known.id)
      if (at >= 0) queue.splice(at, 1)
    }
    if (isScheduled) return
    isScheduled = true
    setImmediate(next)
  })
  flite.synthesise(firstWords)
  flite.prepare()
  post({ type: 'ready' })
}

const port = connectParent()
if (port) serve(port, loadFlite())
