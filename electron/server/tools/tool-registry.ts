import { isDeepStrictEqual } from 'node:util'
import { AppError, isAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { bornTools } from '../../contract/born-tools.ts'
import type { EnrolmentWay } from '../../contract/device.ts'
import { type JsonSchema, ToolName, toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { ToolStore } from '../store/store.ts'
import type { SchemaChecker } from './json-schema.ts'

/** A flood of adverts must not fill the registry. */
const maxVersionsOfName = 50
const maxVersions = 2000

/** A tool as a full MCP server describes it in `tools/list`. */
export interface Advert {
  readonly name: string
  readonly description: string
  readonly arguments: JsonSchema
  readonly result: JsonSchema | null
  readonly destructive: boolean
}

export interface ToolRegistry {
  all(): readonly ToolVersion[]
  /** The newest published version. */
  published(name: string): ToolVersion | undefined
  /** The newest one of any status, for the console. */
  newest(name: string): ToolVersion | undefined
  /**
   * Takes an advertised schema over as a draft; `publish` = the enrolment way of the board publishes by itself. What
   * is known already changes nothing. Undefined when it cannot be used: that is logged, and the board goes on.
   */
  takeOver(advert: Advert, from: { deviceId: string; publish: boolean }): Promise<ToolVersion | undefined>
  /** A draft becomes callable. Rejects tool-unknown. */
  publish(name: string, version: number): Promise<ToolVersion>
  onChange(listener: () => void): void
}

export interface ToolRegistryOptions {
  readonly store: ToolStore
  readonly checker: SchemaChecker
  readonly clock: Clock
  readonly log: Log
}

/** The default of the setting per enrolment way: boards that this console flashed, and virtual ones. */
export function publishesByItself(device: { readonly enrolledBy: EnrolmentWay; readonly virtual: boolean }): boolean {
  return device.enrolledBy === 'claim' || device.virtual
}

/** All tools by name and version; versions never change. Born with the tools of iotta-protocol.md §4. */
export async function createToolRegistry(options: ToolRegistryOptions): Promise<ToolRegistry> {
  const { store, checker, clock } = options
  const log = options.log.child('tool-registry')
  const listeners = new Set<() => void>()
  const versions = new Map((await store.all()).map((version) => [toolRef(version), version]))
  // Thirty boards that connect at once advertise the same tool once.
  const inTurn = createTurnstile()
  const changed = () => listeners.forEach((listener) => listener())

  async function keep(version: ToolVersion, deviceId: string | null): Promise<ToolVersion> {
    await store.put(version, { deviceId })
    versions.set(toolRef(version), version)
    changed()
    return version
  }

  const named = (name: string) =>
    [...versions.values()].filter((version) => version.name === name).sort((a, b) => b.version - a.version)

  async function takeOver(advert: Advert, from: { deviceId: string; publish: boolean }) {
    checkAdvert(advert, checker)
    const known = named(advert.name)
    const publish = from.publish && mayReplace(known)
    const same = known.find((version) => saysTheSame(version, advert))
    if (same) return same.status === 'draft' && publish ? setPublished(same) : same
    if (known.length >= maxVersionsOfName || versions.size >= maxVersions) {
      throw new AppError('tool-bad-schema', `The registry holds too many versions to take "${advert.name}"`)
    }
    const draft = draftOf(advert, { version: (known[0]?.version ?? 0) + 1, at: clock.now() })
    const kept = await keep(draft, from.deviceId)
    return publish ? setPublished(kept) : kept
  }

  async function setPublished(version: ToolVersion): Promise<ToolVersion> {
    const published: ToolVersion = { ...version, status: 'published' }
    await store.setStatus(version.name, version.version, 'published')
    versions.set(toolRef(published), published)
    changed()
    return published
  }

  for (const born of bornTools) if (!versions.has(toolRef(born))) await keep(born, null)
  return {
    all: () => [...versions.values()],
    published: (name) => named(name).find((version) => version.status === 'published'),
    newest: (name) => named(name)[0],
    async takeOver(advert, from) {
      try {
        return await inTurn(() => takeOver(advert, from))
      } catch (error) {
        log.warn('advertised tool not taken', { deviceId: from.deviceId, error })
        return undefined
      }
    },
    publish: (name, number) =>
      inTurn(async () => {
        const version = versions.get(toolRef({ name, version: number }))
        if (!version) throw new AppError('tool-unknown', `There is no tool ${name}@${number}`)
        return version.status === 'published' ? version : setPublished(version)
      }),
    onChange: (listener) => void listeners.add(listener),
  }
}

function checkAdvert(advert: Advert, checker: SchemaChecker): void {
  if (!ToolName.safeParse(advert.name).success) {
    throw new AppError('tool-bad-schema', `"${advert.name.slice(0, 64)}" is no name for a tool`)
  }
  try {
    checker.inspect(advert.arguments)
    if (advert.result) checker.inspect(advert.result)
  } catch (cause) {
    if (!isAppError(cause)) throw cause
    throw new AppError(cause.code, `"${advert.name}": ${cause.message}`, { cause })
  }
}

/** What a person wrote or the product was born with is never replaced by what a board says of itself. */
function mayReplace(known: readonly ToolVersion[]): boolean {
  const current = known.find((version) => version.status === 'published')
  return !current || current.origin === 'board'
}

function saysTheSame(version: ToolVersion, advert: Advert): boolean {
  return isDeepStrictEqual([version.arguments, version.result], [advert.arguments, advert.result])
}

/** What a board may not say of itself: how harmless it is. Unknown is `physical` (reliability.md C 43). */
function draftOf(advert: Advert, made: { version: number; at: number }): ToolVersion {
  return {
    name: advert.name,
    version: made.version,
    status: 'draft',
    description: advert.description.slice(0, 2000),
    arguments: advert.arguments,
    result: advert.result,
    danger: advert.destructive ? 'destructive' : 'physical',
    idempotent: false,
    timeoutMs: 10_000,
    speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
    createdAt: made.at,
    origin: 'board',
  }
}

/** One change at a time, in the order they were asked for. */
function createTurnstile() {
  let last: Promise<unknown> = Promise.resolve()
  return function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const next = last.then(change)
    last = next.catch(() => undefined)
    return next
  }
}
