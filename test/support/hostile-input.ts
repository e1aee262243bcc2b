import { createRandom, randomBytes } from './audio-signals.ts'

/** Seeded hostile bytes and text: random, mutated, nested, cut. Print the seed, and a failure can be had again. */
export function createHostile(seed: number) {
  const random = createRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!

  const seeds = [
    '{"type":"hello","audio":{"codecs":["opus"],"sample_rate":16000,"channels":1,"frame_duration":60}}',
    '{"type":"listen","state":"start","context":{"a":1}}',
    '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"set_lamp"}]}}',
    '{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no"}}',
    '{"device_id":"a:b","board":"s3","fw":{"name":"f","version":"1"},"claim":"c"}',
    '[{"ts":1,"metrics":{"rssi_dbm":-60},"events":[{"level":"info","code":"c","message":"m"}]}]',
    '{"version":1,"parts":[{"file":"a.bin","offset":"0x0"}]}',
    'Bearer abcdefghijklmnop',
    '{"tools":[{"name":"a.b","description":"x","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}',
    '{"operationId":"setLamp","requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/x"}}}}}',
    'RRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=4',
    'FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270101T000000Z',
    '/lamp: {get: {operationId: lamp, parameters: [{name: on, in: query, schema: {type: boolean}}]}}',
    'key,type,encoding,value\nwifi,namespace,,\nssid,data,string,Test\n',
  ]
  const odd = [null, true, -1, 1e308, 2 ** 53, '', '\u0000', '\uD800', [], {}, '__proto__', 'constructor', 1.5, -0]

  function value(depth: number): unknown {
    if (depth <= 0 || random() < 0.4) return pick(odd)
    if (random() < 0.5) return Array.from({ length: below(4) }, () => value(depth - 1))
    const keys = ['type', 'id', 'result', 'state', 'audio', 'metrics', '__proto__', 'device_id', 'x'.repeat(below(80))]
    return Object.fromEntries(Array.from({ length: below(5) }, () => [pick(keys), value(depth - 1)]))
  }

  function mutated(text: string): string {
    const at = below(text.length)
    const end = at + below(8)
    const middle = pick(['', '"', '{', '\u0000', '9'.repeat(below(400)), '[', '\\u', 'é', text])
    return text.slice(0, at) + middle + text.slice(end)
  }

  return {
    random,
    below,
    bytes: (limit: number) => randomBytes(below(limit), random),
    text(): string {
      const kind = below(5)
      if (kind === 0) return JSON.stringify(value(5))
      if (kind === 1) return `${'['.repeat(below(3_000))}${']'.repeat(below(3_000))}`
      if (kind === 2) return Buffer.from(randomBytes(below(300), random)).toString('latin1')
      return mutated(pick(seeds))
    },
    /** A given file with some of its bytes changed or its end cut. */
    damaged(bytes: Uint8Array): Uint8Array {
      const copy = Uint8Array.from(random() < 0.3 ? bytes.subarray(0, below(bytes.length)) : bytes)
      for (let hit = below(20); hit > 0 && copy.length > 0; hit -= 1)
        copy[below(Math.min(copy.length, 4_096))] = below(256)
      return copy
    },
  }
}
