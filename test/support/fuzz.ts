import { isAppError } from '../../electron/base/app-error.ts'
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
import { parseFromBoard } from '../../electron/server/tools/rpc-message.ts'
import { parseRecording } from '../../electron/server/uart/recording.ts'
import { parseFromServer } from '../../electron/virtual/board/board-events.ts'
import { parseRequest } from '../../electron/virtual/chip/packet.ts'
import { decodeSlip, slipStart } from '../../electron/virtual/chip/slip.ts'

/** A parser of hostile input: it answers, or throws an AppError. Nothing else. */
export interface FuzzTarget {
  readonly name: string
  readonly takes: 'text' | 'json' | 'bytes'
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
  { name: 'requests to a chip', takes: 'bytes', run: (_text, bytes) => parseRequest(bytes) },
]

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
export function verdictOf(target: FuzzTarget, input: { text: string; bytes: Uint8Array }): string | undefined {
  let fastest = Infinity
  for (let attempt = 0; attempt < 3 && fastest > 100; attempt += 1) {
    const startedAt = performance.now()
    try {
      target.run(input.text, input.bytes)
    } catch (error) {
      if (!isAppError(error)) return `threw ${String(error)}`
      if (error.code === 'server-internal') return `threw ${error.code}`
    }
    fastest = Math.min(fastest, performance.now() - startedAt)
  }
  return fastest > 100 ? `took ${Math.round(fastest)} ms` : undefined
}
