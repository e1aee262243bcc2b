import { AppError } from '../../electron/base/app-error.ts'
import { createLiveFeed } from '../../electron/base/live-feed.ts'
import type { ErrorCode } from '../../electron/contract/errors.ts'
import { ToolContent, type ToolAudit, type ToolDraft, type ToolReview } from '../../electron/contract/tool-registry.ts'
import type { ToolCall, ToolVersion } from '../../electron/contract/tool.ts'
import type { RpcFeatures } from '../../electron/server/rpc/handlers.ts'
import { toolStubs } from '../../electron/server/tool-stubs.ts'
import { changesBetween, contentFrom, oldCalls } from './console-tool-story.ts'
import { contentOf, manyTools, usualTools, versionOf, type KnownTool } from './console-tool-rows.ts'
import type { WorldName } from './console-world.ts'

// Test support: the registry as the scripted server of the console tests plays it. Drafts, revisions, publishes and
// conflicts are kept as the contract says; what a check would find is scripted.

export interface ToolKnobs {
  /** So many more tools. */
  fill(count: number): void
  /** Somebody else publishes the next version with this content. */
  publishElsewhere(name: string, change: Partial<ToolContent>): void
  /** Another page of the same person saves the draft. */
  saveElsewhere(name: string, change: Partial<ToolContent>): void
  /** Every call of these rows is refused until told otherwise. */
  refuse(rows: readonly string[], code: ErrorCode): void
  draft(name: string): ToolDraft | undefined
  newest(name: string): ToolVersion | undefined
  /** How often a row was called. */
  asked(row: string): number
}

const done = { ok: true } as const
const me = 'owner'
const fault = (code: ErrorCode, message: string) => new AppError(code, message)

export function createToolScript(
  world: WorldName,
  features: Pick<RpcFeatures['tools'], 'ofDevice' | 'refresh' | 'publish' | 'call' | 'list'>,
) {
  let tools: KnownTool[] = world === 'empty' ? [] : usualTools()
  const drafts = new Map<string, ToolDraft>()
  const feed = createLiveFeed<{ revision: number }>()
  const audit: ToolAudit[] = []
  const counts = new Map<string, number>()
  let refusal: { rows: readonly string[]; code: ErrorCode } =
    world === 'failed' ? { rows: ['catalog'], code: 'server-internal' } : { rows: [], code: 'server-internal' }
  let revision = 1

  const touch = () => feed.publish({ revision: ++revision })
  const find = (name: string) => tools.find((tool) => tool.summary.name === name)
  const put = (tool: KnownTool) => {
    tools = find(tool.summary.name)
      ? tools.map((one) => (one.summary.name === tool.summary.name ? tool : one))
      : [tool, ...tools]
    touch()
  }
  const summarised = (tool: KnownTool) => ({
    ...tool.summary,
    drafts: drafts.has(tool.summary.name) ? 1 : tool.summary.drafts,
  })
  const newest = (name: string) => find(name)?.versions.at(-1)
  const draftOf = (id: string) => {
    const draft = [...drafts.values()].find((one) => one.id === id)
    if (!draft) throw fault('tool-unknown', `No draft ${id}`)
    return draft
  }

  function publish(
    name: string,
    content: ToolContent,
    order: { author: string; note: string; canary: string[]; basedOn: number | null },
  ) {
    const tool = find(name)
    const version = (tool?.versions.at(-1)?.version ?? 0) + 1
    const made = versionOf(name, version, content)
    const release = { name, version, publishedAt: Date.now(), replacement: null, ...order }
    put({
      summary: {
        ...(tool?.summary ?? {
          name,
          origin: 'person',
          drafts: 0,
          deprecated: false,
          enabled: true,
          provider: null,
          calls: 0,
          failed: 0,
        }),
        description: content.description,
        danger: content.danger,
        published: version,
        versions: version,
        canary: order.canary.length > 0,
      },
      versions: [...(tool?.versions ?? []), made],
      releases: [...(tool?.releases ?? []), release],
      cases: tool?.cases ?? [],
    })
    return made
  }

  function review(draft: ToolDraft): ToolReview {
    const last = newest(draft.name)
    const base = find(draft.name)?.versions.find((one) => one.version === draft.basedOn)
    const moved = last !== undefined && last.version !== draft.basedOn
    const { description } = draft.content
    return {
      changes: changesBetween(base ? contentFrom(base) : null, draft.content),
      lints: [
        ...(description === ''
          ? [{ severity: 'error' as const, code: 'description-missing', path: '/description', detail: {} }]
          : []),
        ...(draft.content.danger === 'physical' && !draft.content.idempotent
          ? [{ severity: 'warning' as const, code: 'not-idempotent', path: '/idempotent', detail: {} }]
          : []),
      ],
      tokens: { tool: 40 + Math.ceil(JSON.stringify(draft.content).length / 6), all: 1_812 },
      conflict: moved
        ? {
            base: base ? contentFrom(base) : null,
            theirs: contentFrom(last),
            theirVersion: last.version,
            author: 'ada',
          }
        : null,
    }
  }

  function called(ref: string, args: Record<string, unknown>, dry: boolean): ToolCall {
    const tooBright = typeof args.brightness === 'number' && args.brightness > 100
    const now = Date.now()
    return {
      ref,
      arguments: args,
      outcome: tooBright ? 'refused' : 'ok',
      ...(tooBright
        ? { errorCode: 'tool-bad-arguments', errorMessage: '/brightness must be <= 100' }
        : { result: dry ? { dryRun: true } : { ok: true } }),
      startedAt: now - 74,
      endedAt: now,
    }
  }

  const rows: RpcFeatures['tools'] = {
    ...features,
    catalog: () => tools.map(summarised),
    watch: (_input, { signal }) => feed.subscribe(signal, { snapshot: () => ({ revision }) }),
    detail({ name }) {
      const tool = find(name)
      const draft = drafts.get(name)
      if (!tool && !draft) throw fault('tool-unknown', `No tool ${name}`)
      return {
        name,
        enabled: tool?.summary.enabled ?? true,
        versions: [...(tool?.versions ?? [])],
        releases: [...(tool?.releases ?? [])],
        drafts: draft ? [draft] : [],
        cases: [...(tool?.cases ?? [])],
        usage: (tool?.versions ?? [])
          .slice(-2)
          .map((one, index) => ({ version: one.version, calls: index === 1 ? 404 : 8, ok: index === 1 ? 399 : 7 })),
      }
    },
    openDraft({ name, from }) {
      const known = drafts.get(name)
      if (known) return known
      const start = find(name)?.versions.find((one) => one.version === from) ?? newest(name)
      const blank = contentOf({
        description: '',
        arguments: { type: 'object', properties: {} },
        result: null,
        speech: { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} },
      })
      const draft = {
        id: `draft-${name}-${revision}`,
        name,
        author: me,
        basedOn: start?.version ?? null,
        revision: 1,
        content: start ? contentFrom(start) : blank,
        updatedAt: Date.now(),
      }
      drafts.set(name, draft)
      touch()
      return draft
    },
    saveDraft({ id, revision: from, content }) {
      const draft = draftOf(id)
      if (draft.revision !== from) throw fault('tool-draft-changed', `The draft is at revision ${draft.revision}`)
      // The contract's defaults were filled in on the way here.
      const saved = { ...draft, content: content as ToolContent, revision: from + 1, updatedAt: Date.now() }
      drafts.set(draft.name, saved)
      return saved
    },
    dropDraft({ id }) {
      drafts.delete(draftOf(id).name)
      touch()
      return done
    },
    review: ({ draftId }) => review(draftOf(draftId)),
    compare({ name, from, to }) {
      const at = (version: number) => contentFrom(find(name)!.versions.find((one) => one.version === version)!)
      return { changes: changesBetween(at(from), at(to)), lints: [], tokens: { tool: 120, all: 1_812 }, conflict: null }
    },
    publishDraft({ draftId, basedOn, note, canary }) {
      const draft = draftOf(draftId)
      if ((newest(draft.name)?.version ?? null) !== basedOn)
        throw fault('tool-publish-conflict', 'Another version was published meanwhile')
      const made = publish(draft.name, draft.content, { author: me, note, canary, basedOn })
      drafts.delete(draft.name)
      touch()
      return made
    },
    promote({ name }) {
      const tool = find(name)!
      put({
        ...tool,
        summary: { ...tool.summary, canary: false },
        releases: tool.releases.map((one) => ({ ...one, canary: [] })),
      })
      return done
    },
    rollBack({ name, to, note }) {
      const old = find(name)!.versions.find((one) => one.version === to)!
      return publish(name, contentFrom(old), { author: me, note, canary: [], basedOn: to })
    },
    deprecate({ name, replacement }) {
      const tool = find(name)!
      put({
        ...tool,
        summary: { ...tool.summary, deprecated: true },
        versions: tool.versions.map((one) => ({ ...one, status: 'deprecated' })),
        releases: tool.releases.map((one) => ({ ...one, replacement })),
      })
      return done
    },
    enable({ name, enabled }) {
      const tool = find(name)!
      put({ ...tool, summary: { ...tool.summary, enabled } })
      return done
    },
    saveCases({ name, cases }) {
      const tool = find(name)
      if (tool) put({ ...tool, cases })
      return done
    },
    runCases({ draftId }) {
      const cases = find(draftOf(draftId).name)?.cases ?? []
      return cases.map((one) => {
        const outcome = called('x@1', one.arguments, true).outcome === 'ok' ? 'accepted' : 'refused'
        const passed = outcome === one.expect && world !== 'failed'
        return { title: one.title, passed, message: passed ? '' : `was ${outcome}` }
      })
    },
    tryOut({ name, draftId, deviceId, arguments: args, dryRun }) {
      const ref = draftId === undefined ? `${name}@${newest(name)?.version ?? 1}` : `${name}@draft`
      const call = called(ref, args, dryRun || deviceId === undefined)
      audit.unshift({
        id: `call-${audit.length}`,
        at: call.startedAt,
        durationMs: 74,
        deviceId: deviceId ?? '',
        ref,
        caller: { kind: 'test', id: me },
        arguments: args,
        outcome: call.outcome,
        errorCode: call.errorCode ?? null,
        errorMessage: call.errorMessage ?? null,
        result: call.result ?? null,
        consentId: null,
      })
      return call
    },
    askMatcher({ name, phrases }) {
      const asked =
        phrases.length > 0
          ? phrases
          : ['turn on the lamp', 'set the lamp to 40 percent', '打开灯', '把台灯调到40%', 'make it brighter']
      return asked.map((phrase) => {
        const hit = /lamp|light|灯/.test(phrase)
        return {
          phrase,
          language: /[\u4e00-\u9fff]/.test(phrase) ? ('zh' as const) : ('en' as const),
          chosen: hit ? name : null,
          arguments: hit ? { on: true } : null,
          confidence: hit ? 0.93 : 0.1,
          hit,
        }
      })
    },
    stubs: ({ name, content }) => toolStubs(name, ToolContent.parse(content)),
    calls({ name, limit }) {
      const told: ToolAudit[] = world === 'empty' || name === undefined ? [] : oldCalls(name)
      return [...audit, ...told].filter((one) => name === undefined || one.ref.startsWith(`${name}@`)).slice(0, limit)
    },
    readImport({ text }) {
      const list = JSON.parse(text) as {
        tools?: { name: string; description?: string; inputSchema?: Record<string, unknown> }[]
      }
      return (list.tools ?? []).map((one) => ({
        name: one.name,
        content: /^[A-Za-z0-9_.-]{1,64}$/.test(one.name)
          ? contentOf({ description: one.description ?? '', arguments: one.inputSchema ?? { type: 'object' } })
          : null,
        problem: /^[A-Za-z0-9_.-]{1,64}$/.test(one.name) ? null : 'tool-bad-schema',
        known: find(one.name) !== undefined,
      }))
    },
    exportTools: ({ names }) => ({ text: JSON.stringify({ tools: names.map((name) => newest(name)) }, null, 2) }),
  }

  const knobs: ToolKnobs = {
    fill(count) {
      tools = [...tools, ...manyTools(count)]
      touch()
    },
    publishElsewhere(name, change) {
      publish(
        name,
        { ...contentFrom(newest(name)!), ...change },
        { author: 'ada', note: 'meanwhile', canary: [], basedOn: newest(name)!.version },
      )
    },
    saveElsewhere(name, change) {
      const draft = drafts.get(name)!
      drafts.set(name, { ...draft, revision: draft.revision + 1, content: { ...draft.content, ...change } })
    },
    refuse: (names, code) => (refusal = { rows: names, code }),
    draft: (name) => drafts.get(name),
    newest,
    asked: (row) => counts.get(row) ?? 0,
  }
  return { rows: watched(rows, { refusal: () => refusal, counts }), knobs, close: () => feed.close() }
}

/** Every row counted, and refused while a test wants that. */
function watched(
  rows: RpcFeatures['tools'],
  state: { refusal: () => { rows: readonly string[]; code: ErrorCode }; counts: Map<string, number> },
): RpcFeatures['tools'] {
  const wrapped = Object.entries(rows).map(([name, row]) => [
    name,
    (...given: unknown[]) => {
      state.counts.set(name, (state.counts.get(name) ?? 0) + 1)
      const { rows: refused, code } = state.refusal()
      if (refused.includes(name)) throw new AppError(code, 'scripted')
      return (row as (...args: unknown[]) => unknown)(...given)
    },
  ])
  return Object.fromEntries(wrapped) as RpcFeatures['tools']
}
