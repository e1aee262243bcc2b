import { expect, test } from 'vitest'
import {
  beginEndpoint,
  endpointDefaults,
  type EndpointEvent,
  type EndpointInput,
  stepEndpoint,
} from './endpoint-machine.ts'

const windows = (count: number, probability: number): EndpointInput[] =>
  Array.from({ length: count }, () => ({ type: 'window', probability }))
const speech = (count: number) => windows(count, 0.9)
const silence = (count: number) => windows(count, 0.05)

function run(...inputs: EndpointInput[][]): EndpointEvent[] {
  let state = beginEndpoint(endpointDefaults)
  return inputs.flat().flatMap((input) => {
    const [next, event] = stepEndpoint(state, input, endpointDefaults)
    state = next
    return event ? [event] : []
  })
}

test('speech starts after 96 ms of it, and is dated back to its first window', () => {
  expect(run(silence(10), speech(3))).toEqual([{ type: 'speech_start', atMs: 416, startedAtMs: 320 }])
})

test('speech ends after 480 ms of silence, and the end is dated back to where the silence began', () => {
  expect(run(speech(10), silence(14))).toHaveLength(1)
  expect(run(speech(10), silence(15))[1]).toEqual({ type: 'speech_end', atMs: 800, startedAtMs: 0, endedAtMs: 320 })
})

test('clicks shorter than the least speech start nothing', () => {
  expect(run(...Array.from({ length: 20 }, () => [...speech(2), ...silence(3)]))).toEqual([])
})

test('between the thresholds nothing begins, and nothing begins to end', () => {
  expect(run(windows(100, 0.45))).toEqual([])
  expect(run(speech(5), windows(100, 0.4))).toHaveLength(1)
  expect(run(speech(5), silence(1), windows(14, 0.4))[1]?.type).toBe('speech_end')
})

test('a pause shorter than the hangover does not end the sentence', () => {
  expect(run(speech(5), silence(14), speech(1), silence(14), speech(1))).toHaveLength(1)
})

test('a shorter hangover ends a silence that is long enough already, at once', () => {
  const events = run(speech(5), silence(8), [{ type: 'hangover', ms: 240 }])
  expect(events[1]).toEqual({ type: 'speech_end', atMs: 416, startedAtMs: 0, endedAtMs: 160 })
  expect(run(speech(5), [{ type: 'hangover', ms: 240 }], silence(7))).toHaveLength(1)
  expect(run([{ type: 'hangover', ms: 240 }], speech(5), silence(8))[1]?.type).toBe('speech_end')
})

test('ten seconds without speech end the listening, but not while a word begins', () => {
  expect(run(silence(313))).toEqual([{ type: 'no_speech', atMs: 10_016 }])
  expect(run(silence(312), speech(3))[0]?.type).toBe('speech_start')
})

test('an utterance is cut 30 s after it began', () => {
  expect(run(silence(5), speech(1_000)).at(-1)).toEqual({ type: 'too_long', atMs: 30_176, startedAtMs: 160 })
})

test('after its end the machine is silent, whatever comes', () => {
  expect(run(speech(5), silence(15), speech(50), silence(500), [{ type: 'hangover', ms: 1 }])).toHaveLength(2)
})
