import { z } from 'zod'
import { AppError } from '../../base/app-error.ts'
import { BoardEvent, MetricName } from '../../contract/telemetry.ts'

// Parser of what boards report (iotta-protocol.md §5): a tolerant reader that keeps what it can and lists what it threw
// out. Pure; nothing behind it checks again.

/** `index` counts reports from 0; `path` is missing when the whole report is refused. */
export interface Rejected {
  readonly index: number
  readonly path?: string
  readonly reason: string
}

export interface Report {
  readonly at: number
  readonly metrics: Readonly<Record<string, number>>
  readonly events: readonly Omit<BoardEvent, 'deviceId'>[]
  readonly logs: readonly { readonly at: number; readonly line: string }[]
}

export interface ParsedReports {
  readonly accepted: readonly Report[]
  readonly rejected: readonly Rejected[]
}

const dayMs = 24 * 3600_000
export const reportLimits = { reports: 500, metrics: 64, events: 100, logs: 500, text: 2000, code: 64 } as const

const Event = z.object({
  ts: z.number().optional().catch(undefined),
  level: BoardEvent.shape.level,
  code: z.string().min(1).max(reportLimits.code),
  message: z.string().transform((text) => text.slice(0, reportLimits.text)),
})
const LogLine = z.object({
  ts: z.number().optional().catch(undefined),
  line: z.string().transform((text) => text.slice(0, reportLimits.text)),
})

export interface ReportRules {
  /** ms since epoch. */
  readonly now: number
  /** Whether the device may bring this metric: a new name is a series for ever. */
  readonly allows: (metric: string) => boolean
}

/**
 * `body` is parsed JSON: one report or up to 500. Throws 'iotta-bad-request' when it is neither; every report is either
 * accepted or named whole in `rejected`.
 */
export function parseReports(body: unknown, rules: ReportRules): ParsedReports {
  const reports: unknown[] = Array.isArray(body) ? body : [body]
  if (!Array.isArray(body) && !isObject(body)) {
    throw new AppError('iotta-bad-request', 'Telemetry is one JSON object or an array of them')
  }
  if (reports.length > reportLimits.reports) {
    throw new AppError('iotta-bad-request', `${reports.length} reports in one request, at most ${reportLimits.reports}`)
  }
  const accepted: Report[] = []
  const rejected: Rejected[] = []
  for (const [index, value] of reports.entries()) {
    const { report, thrown } = parseReport(value, rules)
    if (report) {
      accepted.push(report)
      rejected.push(...thrown.map((each) => ({ index, ...each })))
    } else {
      // One entry for a report of which nothing is left.
      const [first] = thrown
      rejected.push({ index, reason: first ? `nothing is left: ${first.path}: ${first.reason}` : 'nothing in it' })
    }
  }
  return { accepted, rejected }
}

interface Thrown {
  readonly path: string
  readonly reason: string
}

function parseReport(value: unknown, { now, allows }: ReportRules): { report: Report | undefined; thrown: Thrown[] } {
  const thrown: Thrown[] = []
  const refuse = (path: string, reason: string) => void thrown.push({ path, reason })
  if (!isObject(value)) {
    refuse('report', 'not an object')
    return { report: undefined, thrown }
  }
  const at = timeOf(value, now, refuse)
  const metrics = metricsOf(value['metrics'], allows, refuse)
  const events = rowsOf(value['events'], { name: 'events', schema: Event, max: reportLimits.events, refuse })
  const logs = rowsOf(value['logs'], { name: 'logs', schema: LogLine, max: reportLimits.logs, refuse })
  const report: Report = {
    at,
    metrics,
    events: events.map(({ ts, ...rest }) => ({ at: rowTime(ts, at, now), ...rest })),
    logs: logs.map(({ ts, line }) => ({ at: rowTime(ts, at, now), line })),
  }
  const kept = Object.keys(metrics).length + events.length + logs.length
  return { report: kept > 0 ? report : undefined, thrown }
}

type Refuse = (path: string, reason: string) => void

/** `ts` wins over `age_ms`; a time more than a day away is the board's clock being wrong, not history. */
function timeOf(report: Record<string, unknown>, now: number, refuse: Refuse): number {
  const path = report['ts'] === undefined ? 'age_ms' : 'ts'
  const given = report[path]
  if (given === undefined) return now
  if (typeof given !== 'number' || !Number.isFinite(given)) {
    refuse(path, 'not a number: replaced by the time of arrival')
    return now
  }
  const at = path === 'ts' ? given : now - given
  if (Math.abs(at - now) <= dayMs) return at
  refuse(path, 'more than 24 h from the clock of the server: replaced by the time of arrival')
  return now
}

function rowTime(ts: number | undefined, reportAt: number, now: number): number {
  return ts !== undefined && Math.abs(ts - now) <= dayMs ? ts : reportAt
}

function metricsOf(value: unknown, allows: ReportRules['allows'], refuse: Refuse): Record<string, number> {
  if (value === undefined) return {}
  if (!isObject(value)) {
    refuse('metrics', 'not an object')
    return {}
  }
  const kept = new Map<string, number>()
  const entries = Object.entries(value)
  for (const [name, reading] of entries.slice(0, reportLimits.metrics)) {
    const path = `metrics.${name.slice(0, 64)}`
    if (!MetricName.safeParse(name).success) refuse(path, 'not a metric name: [a-z][a-z0-9_]{0,63}')
    else if (typeof reading !== 'number' || !Number.isFinite(reading)) refuse(path, 'not a finite number')
    else if (!allows(name)) refuse(path, 'this device has brought too many different metrics')
    else kept.set(name, reading)
  }
  if (entries.length > reportLimits.metrics) {
    refuse('metrics', `${entries.length - reportLimits.metrics} left out: at most ${reportLimits.metrics} a report`)
  }
  return Object.fromEntries(kept)
}

interface RowRules<T> {
  readonly name: string
  readonly schema: z.ZodType<T>
  readonly max: number
  readonly refuse: Refuse
}

function rowsOf<T>(value: unknown, { name, schema, max, refuse }: RowRules<T>): T[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    refuse(name, 'not an array')
    return []
  }
  const kept: T[] = []
  for (const [index, row] of value.slice(0, max).entries()) {
    const parsed = schema.safeParse(row)
    if (parsed.success) kept.push(parsed.data)
    else refuse(`${name}.${index}`, reasonOf(parsed.error))
  }
  if (value.length > max) refuse(name, `${value.length - max} left out: at most ${max} a report`)
  return kept
}

function reasonOf(error: z.ZodError): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.') || 'it'}: ${issue.message}` : 'not understood'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
