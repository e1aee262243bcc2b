import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { UartLine, UartStep, UartStepResult } from '../../contract/uart.ts'

export interface ScriptBench {
  readonly clock: Clock
  readonly send: (text: string) => void
  /** Lines from now on; the result ends it. */
  readonly onLine: (listener: (line: UartLine) => void) => () => void
  readonly signal: AbortSignal
}

/** Runs the steps one after the other and goes on after one that failed: a class sees every result. */
export async function runScript(steps: readonly UartStep[], bench: ScriptBench): Promise<UartStepResult[]> {
  const results: UartStepResult[] = []
  for (const step of steps) results.push(await runStep(step, bench))
  return results
}

async function runStep(step: UartStep, bench: ScriptBench): Promise<UartStepResult> {
  const { title, send, expect } = step
  const heard = expect === null ? undefined : waitForLine(expect, bench)
  if (send !== null) bench.send(send.endsWith('\r\n') ? send : `${send}\r\n`)
  if (expect === null) return { title, passed: true, message: 'sent', line: null }
  const line = await heard
  if (line) return { title, passed: true, message: line.decoded || line.text.slice(0, 200), line: line.seq }
  const message = `no ${expect.kind || 'line'} from the ${expect.from} with ${JSON.stringify(expect.fields)} within ${expect.withinMs} ms`
  return { title, passed: false, message, line: null }
}

type Expectation = NonNullable<UartStep['expect']>

function waitForLine(expect: Expectation, { clock, onLine, signal }: ScriptBench): Promise<UartLine | undefined> {
  const found = Promise.withResolvers<UartLine | undefined>()
  const none = () => found.resolve(undefined)
  const stopTimer = clock.after(expect.withinMs, none)
  const stopLines = onLine((line) => {
    if (fits(line, expect)) found.resolve(line)
  })
  signal.addEventListener('abort', none)
  return found.promise.finally(() => {
    stopTimer()
    stopLines()
    signal.removeEventListener('abort', none)
  })
}

/** `kind` "" is any; `fields` are those of the line's JSON, objects in part. */
function fits(line: UartLine, { from, kind, fields }: Expectation): boolean {
  if (line.from !== from || (kind !== '' && line.kind !== kind)) return false
  return Object.keys(fields).length === 0 || holds(jsonOf(line.text), fields)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{')))
  } catch {
    return undefined
  }
}

function holds(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return isDeepStrictEqual(value, wanted)
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Readonly<Record<string, unknown>>
  return Object.entries(wanted).every(([key, inner]) => Object.hasOwn(fields, key) && holds(fields[key], inner))
}
