import { expect, test } from 'vitest'
import { readEvents } from './event-stream.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function eventsOf(...chunks: readonly Uint8Array[]): Promise<string[]> {
  const found: string[] = []
  // An iterator of a plain array is what a body is too, once its chunks are there.
  const source = (async function* () {
    yield* chunks
  })()
  for await (const event of readEvents(source)) found.push(event)
  return found
}

/** Cut at every place, one cut at a time: also inside a character and between CR and LF. */
async function cutEverywhere(text: string): Promise<Set<string>> {
  const all = bytes(text)
  const seen = new Set<string>()
  for (let at = 0; at <= all.length; at++) {
    seen.add(JSON.stringify(await eventsOf(all.subarray(0, at), all.subarray(at))))
  }
  seen.add(JSON.stringify(await eventsOf(...[...all].map((byte) => Uint8Array.of(byte)))))
  return seen
}

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('events of %s lines are the same wherever the chunks are cut', async (_name, end) => {
  const text = [': warm', 'event: x', 'data: {"a":"灯"}', '', 'data:b', 'id: 1', '', 'data: [DONE]', '', ''].join(end)
  expect(await cutEverywhere(text)).toEqual(new Set([JSON.stringify(['{"a":"灯"}', 'b', '[DONE]'])]))
})

test('several data lines are one event, one space after the colon is no data, and a last event needs no blank line', async () => {
  expect(await eventsOf(bytes('data: a\ndata:  b\n\n:only a comment\n\nretry: 5\n\ndata: c'))).toEqual(['a\n b', 'c'])
  expect(await eventsOf(bytes('data\n\n'))).toEqual([''])
  expect(await eventsOf()).toEqual([])
})

test.each([
  ['one line without an end', Array.from({ length: 300 }, () => 'x'.repeat(1024))],
  ['one event of many lines', Array.from({ length: 300 }, () => `data: ${'x'.repeat(1024)}\n`)],
  ['comments without an end', Array.from({ length: 5000 }, () => `: ${'x'.repeat(1024)}\n`)],
])('a stream that holds %s is cut off', async (_name, parts) => {
  await expect(eventsOf(...parts.map(bytes))).rejects.toMatchObject({ code: 'model-flooded' })
})
