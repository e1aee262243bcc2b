import { expect, test } from 'vitest'
import { decodeSlip, encodeSlip, slipFrameLimit, type SlipState, slipStart } from './slip.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const hexOf = (frames: readonly Uint8Array[]) => frames.map((frame) => Buffer.from(frame).toString('hex'))

function decodeAll(chunks: readonly Uint8Array[]) {
  let state: SlipState = slipStart
  const frames: string[] = []
  let noise = 0
  let broken = 0
  for (const chunk of chunks) {
    const result = decodeSlip(state, chunk)
    state = result.state
    frames.push(...hexOf(result.frames))
    noise += result.noise
    broken += result.broken
  }
  return { frames, noise, broken }
}

test('frames, noise and empty frames are told apart at every split of the stream', () => {
  const stream = bytes('aabb c0 01dbdc02dbdd c0 cc c0c0 4f484149 c0 c0 05 c0')
  const whole = { frames: ['01c002db', '4f484149', '05'], noise: 3, broken: 0 }
  for (let first = 0; first <= stream.length; first++) {
    for (let second = first; second <= stream.length; second++) {
      const chunks = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)]
      expect(decodeAll(chunks)).toEqual(whole)
    }
  }
})

test('a wrong escape drops its frame and the next frame is read', () => {
  expect(decodeAll([bytes('c0 01 db 02 03 c0')])).toMatchObject({ frames: [], broken: 1 })
  expect(decodeAll([bytes('c0 01 db 02 c0 c0 07 c0')]).frames).toEqual(['07'])
  expect(decodeAll([bytes('c0 01 db c0 c0 07 c0')])).toMatchObject({ frames: ['07'], broken: 1 })
})

test('a frame without an end is given up at the limit and costs no more memory', () => {
  const result = decodeSlip(slipStart, new Uint8Array(slipFrameLimit + 100).fill(1).fill(0xc0, 0, 1))
  expect(result).toMatchObject({ broken: 1, frames: [] })
  expect(result.state.partial).toHaveLength(0)
})

test('what is encoded comes back, whatever the bytes', () => {
  const payload = Uint8Array.from({ length: 512 }, (_, index) => index & 0xff)
  const encoded = encodeSlip(payload)
  expect(encoded.length).toBe(512 + 4 + 2)
  expect(decodeAll([encoded]).frames).toEqual(hexOf([payload]))
})
