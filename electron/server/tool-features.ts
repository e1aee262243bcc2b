import { toAppError } from '../base/app-error.ts'
import type { Clock } from '../base/clock.ts'
import { createLiveFeed } from '../base/live-feed.ts'
import { type Caller, type MatcherAnswer, ToolContent } from '../contract/tool-registry.ts'
import { type ToolCall, toolRef, type ToolVersion } from '../contract/tool.ts'
import { detectLanguage } from './agent/thinking/language.ts'
import { matchIntent } from './agent/thinking/intent-matcher.ts'
import { chosenTool, everybodysTools } from './asked-tools.ts'
import type { RpcFeatures } from './rpc/handlers.ts'
import type { ApiClientStore } from './store/api-client-store.ts'
import type { ToolCallStore } from './store/tool-stores.ts'
import { withoutBoardWords } from './tools/board-words.ts'
import type { DeviceTools } from './tools/device-tools.ts'
import type { SchemaChecker } from './tools/json-schema.ts'
import { refuseUnknownTools } from './tools/known-names.ts'
import type { ToolCatalog } from './tools/tool-catalog.ts'
import type { ToolDrafts } from './tools/tool-drafts.ts'
import type { ToolHost } from './tools/tool-host.ts'
import { exportTools, readImport } from './tools/tool-import.ts'
import type { ToolPolicies } from './tools/tool-policies.ts'
import type { ToolPublishing } from './tools/tool-publishing.ts'
import { isReviewed, type ToolRegistry } from './tools/tool-registry.ts'
import { estimateTokens } from './tools/tool-tokens.ts'
import { phrasingsOf } from './tool-phrasings.ts'

export interface ToolParts {
  readonly tools: ToolHost
  readonly boardTools: DeviceTools
  readonly registry: ToolRegistry
  readonly toolDrafts: ToolDrafts
  readonly toolPublishing: ToolPublishing
  readonly toolCatalog: ToolCatalog
  readonly policies: ToolPolicies
  readonly store: { readonly toolCalls: ToolCallStore; readonly apiClients: Pick<ApiClientStore, 'all'> }
  readonly checker: SchemaChecker
  readonly clock: Clock
  readonly devices: { list(): readonly { readonly id: string }[] }
}

const ok = { ok: true } as const

/** The rows `tools`, `consents` and `policies` of the console, each led to the part that answers it. */
export function createToolFeatures(parts: ToolParts): Pick<RpcFeatures, 'tools' | 'consents' | 'policies'> {
  return {
    tools: { ...deviceRows(parts), ...editRows(parts), ...publishRows(parts), ...testRows(parts) },
    consents: {
      watch: (_input, { signal }) => parts.tools.consents.watch(signal),
      answer: ({ id, yes }, { account }) => parts.tools.consents.answer(id, yes, { kind: 'person', id: account.name }),
    },
    policies: policyRows(parts),
  }
}

function deviceRows({ tools, boardTools, registry }: ToolParts) {
  return {
    list: () => [...registry.all()],
    ofDevice: ({ deviceId }) => tools.list(deviceId),
    refresh: async ({ deviceId }) => {
      await boardTools.refresh(deviceId)
      return tools.list(deviceId)
    },
    publish: ({ name, version }, { account }) => registry.publish(name, version, account.name),
    call: ({ deviceId, name, arguments: args }, { signal, account }) =>
      tools.callTool({ deviceId, name, arguments: args, signal, caller: { kind: 'person', id: account.name } }),
  } satisfies Partial<RpcFeatures['tools']>
}

function editRows({ registry, toolDrafts, toolCatalog, checker }: ToolParts) {
  const feed = createLiveFeed<{ revision: number }>()
  registry.onChange(() => feed.publish((revision) => ({ revision })))
  return {
    catalog: (filter) => toolCatalog.list(filter),
    watch: (_input, { signal }) =>
      feed.subscribe(signal, { snapshot: (revision) => ({ revision }), key: () => 'registry' }),
    detail: ({ name }) => toolCatalog.detail(name),
    openDraft: ({ name, from }, { account }) => toolDrafts.open(name, account.name, from),
    saveDraft: (change, { account }) =>
      toolDrafts.save({ ...change, content: ToolContent.parse(change.content), author: account.name }),
    dropDraft: async ({ id }, { account }) => {
      await toolDrafts.drop(id, account.name)
      return ok
    },
    readImport: ({ text }) => readImport(text, { registry, checker }),
    exportTools: ({ names }) => ({ text: exportTools(names, registry) }),
  } satisfies Partial<RpcFeatures['tools']>
}

function publishRows(parts: ToolParts) {
  const { toolPublishing } = parts
  return {
    review: async ({ draftId }) => toolPublishing.review(draftId, await busiestTokens(parts)),
    compare: ({ name, from, to }) => toolPublishing.compare(name, from, to),
    publishDraft: (order, { account }) => toolPublishing.publish(order, account.name),
    promote: async ({ name, version }) => {
      await toolPublishing.promote(name, version)
      return ok
    },
    rollBack: (order, { account }) => toolPublishing.rollBack(order, account.name),
    deprecate: async ({ name, replacement }) => {
      await toolPublishing.deprecate(name, replacement)
      return ok
    },
    enable: async ({ name, enabled }) => {
      await toolPublishing.enable(name, enabled)
      return ok
    },
    saveCases: async ({ name, cases }) => {
      await toolPublishing.saveCases(name, cases)
      return ok
    },
    runCases: ({ draftId }) => toolPublishing.runCases(draftId),
  } satisfies Partial<RpcFeatures['tools']>
}

/** What the device with the most costly list pays in every turn. */
async function busiestTokens({ tools, devices }: ToolParts): Promise<number> {
  const costs = await Promise.all(
    devices
      .list()
      .map(async ({ id }) =>
        (await tools.vocabulary(id)).reduce((sum, tool) => sum + estimateTokens(tool.name, tool), 0),
      ),
  )
  return Math.max(0, ...costs)
}

function testRows(parts: ToolParts) {
  const { tools } = parts
  return {
    tryOut: ({ name, draftId, deviceId, arguments: args, dryRun }, { account, signal }) => {
      const tool = chosenTool(parts, { name, draftId, deviceId })
      if (deviceId === undefined) return stubCall(tool, args, parts)
      const caller = { kind: 'test', id: account.name } as const
      return tools.callTool({ deviceId, name, arguments: args, tool, caller, dryRun, signal })
    },
    askMatcher: async ({ name, draftId, deviceId, phrases }) => {
      const tool = asSpoken(chosenTool(parts, { name, draftId, deviceId }), parts.registry)
      const asked =
        phrases.length > 0 ? phrases.map((phrase) => ({ phrase, language: detectLanguage(phrase) })) : phrasingsOf(tool)
      const offered =
        deviceId === undefined
          ? everybodysTools(parts.registry).map((one) => asSpoken(one, parts.registry))
          : await tools.vocabulary(deviceId)
      const among = [...offered.filter((other) => other.name !== name), tool]
      return asked.map(({ phrase, language }): MatcherAnswer => {
        const match = matchIntent(phrase, language, among)
        if (!match || 'builtin' in match) {
          return { phrase, language, chosen: null, arguments: null, confidence: 0, hit: false }
        }
        const { tool: found, arguments: args, confidence } = match
        return { phrase, language, chosen: found.name, arguments: { ...args }, confidence, hit: found.name === name }
      })
    },
    calls: async (filter) => {
      const rows = await parts.store.toolCalls.list(filter)
      if (!rows.some(({ caller }) => caller.kind === 'client')) return rows
      const names = new Map((await parts.store.apiClients.all()).map(({ client }) => [client.id, client.name]))
      return rows.map((row) => ({ ...row, caller: namedCaller(row.caller, names) }))
    },
  } satisfies Partial<RpcFeatures['tools']>
}

/** With the words by which a turn would know it. */
function asSpoken(tool: ToolVersion, { shelf }: ToolRegistry): ToolVersion {
  return isReviewed(shelf, tool) ? tool : (withoutBoardWords(tool) ?? tool)
}

/** An outside program by the name that a person gave it; its id says nothing to them. */
function namedCaller(caller: Caller, names: ReadonlyMap<string, string>): Caller {
  const name = caller.kind === 'client' ? names.get(caller.id) : undefined
  return name === undefined ? caller : { ...caller, name }
}

/** Arguments are checked, nothing is sent. */
function stubCall(tool: ToolVersion, args: Record<string, unknown>, { checker, clock }: ToolParts): ToolCall {
  const startedAt = clock.now()
  const base = { ref: toolRef(tool), arguments: args, startedAt }
  const refused = (errorCode: string, errorMessage: string): ToolCall => ({
    ...base,
    outcome: 'refused',
    errorCode,
    errorMessage,
    endedAt: clock.now(),
  })
  try {
    const bad = checker.fault(tool.arguments, args)
    if (bad) return refused('tool-bad-arguments', `${bad.path || 'arguments'} ${bad.message}`)
    return { ...base, outcome: 'ok', endedAt: clock.now() }
  } catch (error) {
    const { code, message } = toAppError(error)
    return refused(code, message)
  }
}

function policyRows({ policies, registry }: ToolParts): RpcFeatures['policies'] {
  return {
    list: () => policies.list(),
    put: async (policy) => {
      const kept = policies.list().find(({ scope, id }) => scope === policy.scope && id === policy.id)?.allowed ?? []
      refuseUnknownTools(policy.allowed, [...registry.shelf.names(), ...kept])
      await policies.put(policy)
      return ok
    },
    remove: async ({ scope, id }) => {
      await policies.remove(scope, id)
      return ok
    },
    classes: () => policies.classes(),
    putClass: async (one) => {
      await policies.putClass(one)
      return ok
    },
    removeClass: async ({ id }) => {
      await policies.removeClass(id)
      return ok
    },
    activate: async ({ id, active }) => {
      await policies.activate(id, active)
      return ok
    },
  }
}
