import { readFileSync } from 'node:fs'
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { isAppError } from '../../electron/base/app-error.ts'
import { ThingModel } from '../../electron/contract/thing.ts'
import { guessBaud } from '../../electron/contract/uart-baud.ts'
import { createLineSplitter } from '../../electron/contract/uart-bytes.ts'
import { readMcuLine } from '../../electron/contract/uart-lint.ts'
import { readBoardLine } from '../../electron/contract/uart-wire.ts'
import { parseProvisionRequest } from '../../electron/server/devices/provision-wire.ts'
import { readImage } from '../../electron/server/firmware/image.ts'
import { readNvsCsv, readNvsJson } from '../../electron/server/firmware/nvs-csv.ts'
import { readNvs } from '../../electron/server/firmware/nvs-reader.ts'
import { readPartitionTable } from '../../electron/server/firmware/partition-table.ts'
import { parsePlan } from '../../electron/server/flash/plan-file.ts'
import { createFrameReader } from '../../electron/server/flash/rom-protocol.ts'
import { readCredentials } from '../../electron/server/http/upgrade-credentials.ts'
import { parseFromDevice } from '../../electron/server/session/wire.ts'
import { parseReports } from '../../electron/server/telemetry/report.ts'
import { parseLyrics } from '../../electron/server/tools/builtin/lyrics.ts'
import { readIcs } from '../../electron/server/tools/builtin/calendar-ics.ts'
import { oggKind, readOgg } from '../../electron/server/tools/builtin/ogg-reader.ts'
import { parseRepeat } from '../../electron/server/tools/builtin/repeat-rule.ts'
import type { PlainReader } from '../../electron/server/tools/builtin/sound-reader.ts'
import { readWav } from '../../electron/server/tools/builtin/sound-reader.ts'
import { thingPreviews } from '../../electron/server/things/previews/previews.ts'
import { thingDiff } from '../../electron/server/things/thing-diff.ts'
import { thingProblems } from '../../electron/server/things/thing-lint.ts'
import { readReplay } from '../../electron/server/things/replay-csv.ts'
import { thingTemplates } from '../../electron/server/things/templates.ts'
import { createLineFeed } from '../../electron/server/tools/external/line-feed.ts'
import { judgeTools } from '../../electron/server/tools/external/remote-tools.ts'
import { createSchemaChecker } from '../../electron/server/tools/json-schema.ts'
import { parseFromBoard } from '../../electron/server/tools/rpc-message.ts'
import { readImport } from '../../electron/server/tools/tool-import.ts'
import { parseRecording } from '../../electron/server/uart/recording.ts'
import { parseFromServer } from '../../electron/virtual/board/board-events.ts'
import { parseRequest } from '../../electron/virtual/chip/packet.ts'
import { decodeSlip, slipStart } from '../../electron/virtual/chip/slip.ts'

/** A parser of hostile input: it answers, or throws an AppError. Nothing else. */
export interface FuzzTarget {
  readonly name: string
  readonly takes: 'text' | 'json' | 'bytes'
  /** What it promises is waited for. */
  run(input: string, bytes: Uint8Array): unknown
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const fuzzTargets: readonly FuzzTarget[] = [
  { name: 'session message', takes: 'json', run: (text) => parseFromDevice(text) },
  { name: 'tool message', takes: 'json', run: (text) => parseFromBoard(text) },
  { name: 'message to a board', takes: 'json', run: (text) => parseFromServer(text) },
  { name: 'provisioning', takes: 'json', run: (text) => parseProvisionRequest(json(text)) },
  { name: 'telemetry', takes: 'json', run: (text) => parseReports(json(text), { now: 0, allows: () => true }) },
  {
    name: 'credentials in headers',
    takes: 'text',
    run: (text) => readCredentials({ authorization: text, 'device-id': text, 'protocol-version': text }),
  },
  {
    name: 'credentials in subprotocols',
    takes: 'text',
    run: (text) => readCredentials({ 'sec-websocket-protocol': `iotta.v1, iotta.authorization.${text}` }),
  },
  { name: 'plan file', takes: 'json', run: (text) => parsePlan(text) },
  { name: 'NVS as CSV', takes: 'text', run: (text) => readNvsCsv(text, () => new Uint8Array()) },
  { name: 'NVS as JSON', takes: 'json', run: (text) => readNvsJson(text) },
  { name: 'image', takes: 'bytes', run: (_text, bytes) => readImage(bytes) },
  { name: 'NVS partition', takes: 'bytes', run: (_text, bytes) => readNvs(padded(bytes, 0x3000)) },
  { name: 'partition table', takes: 'bytes', run: (_text, bytes) => readPartitionTable(bytes) },
  { name: 'answers of a chip', takes: 'bytes', run: (_text, bytes) => [...createFrameReader().push(bytes)] },
  { name: 'SLIP', takes: 'bytes', run: (_text, bytes) => decodeSlip(slipStart, bytes) },
  { name: 'serial lines', takes: 'bytes', run: (_text, bytes) => judged(bytes) },
  { name: 'command of a microcontroller', takes: 'json', run: (text) => judged(`mcp-tool ${text}\r\n`) },
  { name: 'serial line of a board', takes: 'json', run: (text) => readBoardLine(text) },
  { name: 'serial recording', takes: 'json', run: (text) => parseRecording(text) },
  { name: 'speed of a serial line', takes: 'bytes', run: (_text, bytes) => guessBaud(bytes, 115_200) },
  { name: 'tools in a text', takes: 'json', run: (text) => readImport(text, emptyHouse()) },
  {
    name: 'OpenAPI',
    takes: 'json',
    run: (text) => readImport(`{"openapi":"3.1.0","paths":{"/a":{"post":${text}}}}`, emptyHouse()),
  },
  {
    name: 'OpenAPI as YAML',
    takes: 'text',
    run: (text) => readImport(`openapi: 3.1.0\npaths:\n ${text}`, emptyHouse()),
  },
  { name: 'Thing', takes: 'text', run: (text) => [drawn(json(text)), drawn(labelled(text))] },
  {
    name: 'tools of an outside server',
    takes: 'json',
    run: (text) => ListToolsResultSchema.safeParse(json(text)).data && listed(json(text)),
  },
  { name: 'lines of an outside server', takes: 'bytes', run: (_text, bytes) => createLineFeed().read(bytes, 0) },
  { name: 'measurements', takes: 'text', run: (text) => readReplay(`time,power\n${text}`, thingTemplates[0]!.model) },
  { name: 'iCalendar', takes: 'text', run: (text) => readIcs(calendarOf(text), 'Europe/Berlin') },
  { name: 'repetition of an event', takes: 'text', run: (text) => parseRepeat(text) },
  { name: 'lyrics', takes: 'text', run: (text) => parseLyrics(`[00:01.00]${text}`) },
  { name: 'WAV', takes: 'bytes', run: (_text, bytes) => played(readWav(bytesAfter('RIFF\0\0\0\0WAVE', bytes))) },
  { name: 'Ogg', takes: 'bytes', run: (_text, bytes) => played(readOgg(bytesAfter('OggS', bytes))) },
  { name: 'kind of an Ogg file', takes: 'bytes', run: (_text, bytes) => oggKind(bytesAfter('OggS', bytes)) },
  { name: 'requests to a chip', takes: 'bytes', run: (_text, bytes) => parseRequest(bytes) },
]

const checker = createSchemaChecker()
const emptyHouse = () => ({ registry: { shelf: { named: () => [] } }, checker })

const conditioner = JSON.parse(
  readFileSync(new URL('../../electron/server/things/templates/air-conditioner.json', import.meta.url), 'utf8'),
) as unknown

/** A drawn Thing with a text in place of one of its values: which, says the text. */
function labelled(text: string): unknown {
  let left = text.length % 120
  const value = text.length % 3 === 0 ? text.slice(0, 60) : json(text)
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk)
    if (typeof part === 'object' && part !== null)
      return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]))
    left -= 1
    return left === 0 ? value : part
  }
  return walk(conditioner)
}

/** What an import does with a model: its faults, what changed, and every far end's code for it. */
function drawn(value: unknown): unknown {
  const { data: model } = ThingModel.safeParse(value)
  return model && [thingProblems(model), thingDiff(null, model), thingPreviews('hostile', model)]
}

/** Also around what is no list: the tools are read one by one. */
function listed(value: unknown): unknown {
  const { tools } = ListToolsResultSchema.parse(value)
  return judgeTools(tools, { server: 'hostile', checker })
}

function calendarOf(text: string): string {
  const event = `BEGIN:VEVENT\nUID:1\nDTSTART:20260101T100000\n${text}\nEND:VEVENT`
  return `BEGIN:VCALENDAR\nVERSION:2.0\n${event}\nEND:VCALENDAR\n`
}

function bytesAfter(magic: string, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(magic, 'latin1'), bytes])
}

function played(reader: PlainReader): void {
  for (let pieces = 0; pieces < 1_000 && reader.next() !== undefined; pieces += 1);
}

/** Whatever comes, each fault of it has its place inside of the line. */
function judged(input: string | Uint8Array): void {
  const splitter = createLineSplitter()
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input
  const lines = [...splitter.push(bytes), splitter.flush()]
  for (const line of lines) {
    const faults = line ? readMcuLine(line).faults : []
    // A character that was no UTF-8 is longer as its replacement.
    const outside = faults.find(({ byte }) => byte < 0 || byte > 3 * (line?.raw.length ?? 0))
    if (outside) throw new RangeError(`${outside.rule} at ${outside.byte}`)
  }
}

function padded(bytes: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size).fill(0xff)
  out.set(bytes.subarray(0, size))
  return out
}

/**
 * How it went wrong, or undefined. Slow is over 100 ms (reliability.md C 14), three times in a row: once may be the
 * machine.
 */
export async function verdictOf(
  target: FuzzTarget,
  input: { text: string; bytes: Uint8Array },
): Promise<string | undefined> {
  let fastest = Infinity
  for (let attempt = 0; attempt < 3 && fastest > 100; attempt += 1) {
    const startedAt = performance.now()
    try {
      await target.run(input.text, input.bytes)
    } catch (error) {
      if (!isAppError(error)) return `threw ${String(error)}`
      if (error.code === 'server-internal') return `threw ${error.code}`
    }
    fastest = Math.min(fastest, performance.now() - startedAt)
  }
  return fastest > 100 ? `took ${Math.round(fastest)} ms` : undefined
}
