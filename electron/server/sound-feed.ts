import { createLiveFeed, type LiveItems } from '../base/live-feed.ts'
import type { SoundFrame } from '../contract/rpc.ts'
import type { VirtualChips } from './virtual-chips.ts'

/** 8 s of frames: a page that falls further behind is let go and listens anew. */
const mostFrames = 133

/** The speaker of a virtual board for a page. Throws server-not-found for a board that has none here. */
export function watchSound(chips: VirtualChips, deviceId: string, signal: AbortSignal): LiveItems<SoundFrame> {
  const feed = createLiveFeed<SoundFrame>()
  const stop = chips.onSound(deviceId, (pcm, sampleRate) => {
    const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)
    feed.publish({ sampleRate, pcm: bytes.toString('base64') })
  })
  signal.addEventListener('abort', stop, { once: true })
  return feed.subscribe(signal, { max: mostFrames })
}
