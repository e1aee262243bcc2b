import { isDeepStrictEqual } from 'node:util'
import { AppError, isAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { bornTools } from '../../contract/born-tools.ts'
import type { EnrolmentWay } from '../../contract/device.ts'
import type { ToolContent } from '../../contract/tool-registry.ts'
import { type JsonSchema, ToolName, type ToolOrigin, toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { ToolStore } from '../store/store.ts'
import type { ToolEditStore } from '../store/tool-stores.ts'
import type { SchemaChecker } from './json-schema.ts'
import { createToolShelf, type ToolShelf } from './tool-shelf.ts'

/** A flood of adverts must not fill the registry. */
const maxVersionsOfName = 50
const maxBoardVersions = 2000
/** Code makes a version only when its content changed: more than this is a loop. */
const maxAdopted = 1000

/** A tool as a full MCP server describes it in `tools/list`. */
export interface Advert {
  readonly name: string
  readonly description: string
  readonly arguments: JsonSchema
  readonly result: JsonSchema | null
  readonly destructive: boolean
}

/** `owner`: what a person knows it by (the Thing, the MCP server, the serial port); it stands as the author. */
export interface Adoption {
  readonly name: string
  readonly origin: Exclude<ToolOrigin, 'born' | 'board' | 'person'>
  readonly owner: string
}

export interface ToolRegistry {
  all(): readonly ToolVersion[]
  /** The newest published version that is for everybody. */
  published(name: string): ToolVersion | undefined
  /** The newest one of any status, for the console. */
  newest(name: string): ToolVersion | undefined
  /**
   * Takes an advertised schema over as a draft; `publish` = the enrolment way of the board publishes by itself. What
   * is known already changes nothing. Undefined when it cannot be used: that is logged, and the board goes on.
   */
  takeOver(advert: Advert, from: { deviceId: string; publish: boolean }): Promise<ToolVersion | undefined>
  /**
   * What code made (a Thing, a built-in, a microcontroller, an MCP server) becomes the next published version when it
   * differs from what the same origin brought before; else that version. Nobody is asked. Rejects tool-name-taken for a
   * name of another origin, and tool-bad-schema.
   */
  adopt(content: ToolContent, as: Adoption): Promise<ToolVersion>
  /** A draft of a board becomes callable. Rejects tool-unknown. */
  publish(name: string, version: number, author?: string): Promise<ToolVersion>
  onChange(listener: () => void): void
  readonly shelf: ToolShelf
}

export interface ToolRegistryOptions {
  readonly store: ToolStore
  readonly edits: ToolEditStore
  readonly checker: SchemaChecker
  readonly clock: Clock
  readonly log: Log
}

/** Who published what a board said of itself, where no person did. */
function boardAuthor(deviceId: string): string {
  return `board:${deviceId}`
}

/**
 * A person, or the product, stands for its words: what a board, or a microcontroller on a port, says of itself does not
 * reach a model (T11). What a person made of it has the origin `person`.
 */
export function isReviewed(shelf: ToolShelf, version: ToolVersion): boolean {
  if (version.origin === 'uart') return false
  if (version.origin !== 'board') return true
  const author = shelf.releaseOf(version)?.author
  return author !== undefined && !author.startsWith('board:')
}

/** The default of the setting per enrolment way: boards that this console flashed, and virtual ones. */
export function publishesByItself(device: { readonly enrolledBy: EnrolmentWay; readonly virtual: boolean }): boolean {
  return device.enrolledBy === 'claim' || device.virtual
}

/** All tools by name and version; versions never change. Born with the tools of iotta-protocol.md §4. */
export async function createToolRegistry(options: ToolRegistryOptions): Promise<ToolRegistry> {
  const { checker, clock } = options
  const log = options.log.child('tool-registry')
  const shelf = await createToolShelf(options.store, options.edits)

  async function takeOver(advert: Advert, from: { deviceId: string; publish: boolean }) {
    checkSchemas(advert, checker)
    const known = shelf.named(advert.name)
    const publish = from.publish && mayReplace(known)
    const same = known.find((version) => saysTheSame(version, advert))
    if (same) return same.status === 'draft' && publish ? setPublished(same, boardAuthor(from.deviceId)) : same
    const fromBoards = shelf.all().filter(({ origin }) => origin === 'board').length
    if (known.length >= maxVersionsOfName || fromBoards >= maxBoardVersions) {
      throw new AppError('tool-bad-schema', `The registry holds too many versions to take "${advert.name}"`)
    }
    const draft = draftOf(advert, { version: (known[0]?.version ?? 0) + 1, at: clock.now() })
    const kept = await shelf.addDraft(draft, from.deviceId)
    return publish ? setPublished(kept, boardAuthor(from.deviceId)) : kept
  }

  async function setPublished(version: ToolVersion, author: string): Promise<ToolVersion> {
    const published = await shelf.setStatus(version, 'published')
    const { name, version: number } = version
    const rest = { note: '', basedOn: null, canary: [], replacement: null }
    await shelf.setRelease({ name, version: number, author, publishedAt: clock.now(), ...rest })
    return published
  }

  for (const born of bornTools) {
    if (!shelf.named(born.name).some(({ version }) => version === born.version)) await shelf.addDraft(born, null)
  }
  return {
    all: () => shelf.all(),
    published: (name) => shelf.versionFor(name, {}),
    newest: (name) => shelf.named(name)[0],
    async takeOver(advert, from) {
      try {
        return await shelf.inTurn(() => takeOver(advert, from))
      } catch (error) {
        log.warn('advertised tool not taken', { deviceId: from.deviceId, error })
        return undefined
      }
    },
    adopt: (content, as) => shelf.inTurn(() => adopt(content, as, { shelf, checker, clock })),
    publish: (name, number, author = '') =>
      shelf.inTurn(async () => {
        const version = shelf.named(name).find((one) => one.version === number)
        if (!version) throw new AppError('tool-unknown', `There is no tool ${toolRef({ name, version: number })}`)
        return version.status === 'draft' ? setPublished(version, author) : version
      }),
    onChange: (listener) => shelf.onChange(listener),
    shelf,
  }
}

interface AdoptParts extends Pick<ToolRegistryOptions, 'checker' | 'clock'> {
  readonly shelf: ToolShelf
}

async function adopt(
  content: ToolContent,
  { name, origin, owner }: Adoption,
  { shelf, checker, clock }: AdoptParts,
): Promise<ToolVersion> {
  checkSchemas({ ...content, name }, checker)
  const known = shelf.published(name)
  const holder = known.find((version) => version.origin !== 'person') ?? known[0]
  if (holder && holder.origin !== origin) {
    throw new AppError('tool-name-taken', `"${name}" is a tool of another kind (${holder.origin})`)
  }
  const own = known.filter((version) => version.origin === origin)
  // Two microcontrollers, or two devices with two versions of a Thing, may bring different content at once.
  const compared = origin === 'thing' || origin === 'uart' ? own : own.slice(0, 1)
  const same = compared.find((version) => isDeepStrictEqual(contentOf(version), plain(content)))
  if (same) return same
  if (known.length >= maxAdopted) throw new AppError('tool-bad-schema', `"${name}" changed too often`)
  const at = clock.now()
  const version = (shelf.named(name)[0]?.version ?? 0) + 1
  const made: ToolVersion = { ...plain(content), name, version, status: 'published', createdAt: at, origin }
  const basedOn = own[0]?.version ?? null
  const release = { name, version, author: owner, note: '', basedOn, publishedAt: at, canary: [], replacement: null }
  return shelf.release({ version: made, release })
}

/** What a version froze, without its number and life cycle; a key that is undefined is one that is missing. */
export function contentOf(version: ToolVersion): ToolContent {
  const { description, arguments: args, result, danger, idempotent, timeoutMs, speech } = version
  return plain({ description, arguments: args, result, danger, idempotent, timeoutMs, speech })
}

function plain(content: ToolContent): ToolContent {
  const { description, arguments: args, result, danger, idempotent, timeoutMs, speech } = content
  return JSON.parse(
    JSON.stringify({ description, arguments: args, result, danger, idempotent, timeoutMs, speech }),
  ) as ToolContent
}

/** Throws tool-bad-schema with the tool's name. */
export function checkSchemas(
  tool: { readonly name: string; readonly arguments: JsonSchema; readonly result: JsonSchema | null },
  checker: SchemaChecker,
): void {
  if (!ToolName.safeParse(tool.name).success) {
    throw new AppError('tool-bad-schema', `"${tool.name.slice(0, 64)}" is no name for a tool`)
  }
  try {
    checker.inspect(tool.arguments)
    if (tool.result) checker.inspect(tool.result)
  } catch (cause) {
    if (!isAppError(cause)) throw cause
    throw new AppError(cause.code, `"${tool.name}": ${cause.message}`, { cause })
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
