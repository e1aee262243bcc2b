import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { ThingPreview } from './thing.ts'
import { DeviceClass, ToolPolicy } from './tool-policy.ts'
import {
  ConsentRequest,
  ImportCandidate,
  MatcherAnswer,
  ToolAudit,
  ToolCase,
  ToolCaseResult,
  ToolContent,
  ToolDetail,
  ToolDraft,
  ToolReview,
  ToolSummary,
} from './tool-registry.ts'
import { DeviceTool, ToolCall, ToolName, ToolVersion } from './tool.ts'

const byDevice = z.object({ deviceId: z.string() })
const done = z.object({ ok: z.literal(true) })
const note = z.string().trim().max(500)

export const toolRows = {
  tools: {
    list: oc.output(z.array(ToolVersion)),
    ofDevice: oc.input(byDevice).output(z.array(DeviceTool)),
    refresh: oc.input(byDevice).output(z.array(DeviceTool)),
    /** A draft that a board brought. A person's own drafts are published by `publishDraft`. */
    publish: oc.input(z.object({ name: z.string(), version: z.number().int() })).output(ToolVersion),
    /** A person's call, outside any turn. It never rejects for what the board did: see the outcome. */
    call: oc
      .input(byDevice.extend({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }))
      .output(ToolCall),
    catalog: oc
      .input(
        z.object({
          text: z.string().max(200).optional(),
          origin: ToolSummary.shape.origin.optional(),
          danger: ToolSummary.shape.danger.optional(),
          state: z.enum(['published', 'draft', 'deprecated', 'canary', 'disabled']).optional(),
        }),
      )
      .output(z.array(ToolSummary)),
    /** The registry changed: a number that grows. */
    watch: oc.output(eventIterator(z.object({ revision: z.number().int() }))),
    detail: oc.input(z.object({ name: ToolName })).output(ToolDetail),
    /** `from`: the version to start from; without it the newest published one, or an empty tool of a new name. */
    openDraft: oc.input(z.object({ name: ToolName, from: z.number().int().optional() })).output(ToolDraft),
    saveDraft: oc
      .input(z.object({ id: z.string(), revision: z.number().int(), content: ToolContent }))
      .output(ToolDraft),
    dropDraft: oc.input(z.object({ id: z.string() })).output(done),
    review: oc.input(z.object({ draftId: z.string() })).output(ToolReview),
    /** Differences between two versions. */
    compare: oc.input(z.object({ name: ToolName, from: z.number().int(), to: z.number().int() })).output(ToolReview),
    /** Rejects tool-publish-conflict when `basedOn` is no longer the newest, tool-lint-errors, tool-cases-failed. */
    publishDraft: oc
      .input(
        z.object({
          draftId: z.string(),
          basedOn: z.number().int().nullable(),
          note,
          canary: z.array(z.string()).max(64),
        }),
      )
      .output(ToolVersion),
    /** A canary version is given to everybody. */
    promote: oc.input(z.object({ name: ToolName, version: z.number().int() })).output(done),
    /** A new version with the content of an old one. */
    rollBack: oc.input(z.object({ name: ToolName, to: z.number().int(), note })).output(ToolVersion),
    deprecate: oc.input(z.object({ name: ToolName, replacement: ToolName.nullable() })).output(done),
    enable: oc.input(z.object({ name: ToolName, enabled: z.boolean() })).output(done),
    saveCases: oc.input(z.object({ name: ToolName, cases: z.array(ToolCase).max(50) })).output(done),
    runCases: oc.input(z.object({ draftId: z.string() })).output(z.array(ToolCaseResult)),
    /** Without `deviceId` the stub answers: arguments are checked, nothing is sent. `dryRun` never sends either. */
    tryOut: oc
      .input(
        z.object({
          name: ToolName,
          draftId: z.string().optional(),
          deviceId: z.string().optional(),
          arguments: z.record(z.string(), z.unknown()),
          dryRun: z.boolean(),
        }),
      )
      .output(ToolCall),
    /** Five phrasings made from the descriptor, or the ones given. `deviceId`: among that device's tools. */
    askMatcher: oc
      .input(
        z.object({
          name: ToolName,
          draftId: z.string().optional(),
          deviceId: z.string().optional(),
          phrases: z.array(z.string().min(1).max(200)).max(20),
        }),
      )
      .output(z.array(MatcherAnswer)),
    /** What firmware has to hold for this tool: a handler in C for iotta, and the lines and C of UART-MCP. */
    stubs: oc.input(z.object({ name: ToolName, content: ToolContent })).output(z.array(ThingPreview)),
    calls: oc
      .input(
        z.object({
          name: ToolName.optional(),
          deviceId: z.string().optional(),
          limit: z.number().int().min(1).max(500),
        }),
      )
      .output(z.array(ToolAudit)),
    /** `text`: a tool, a list of tools, an MCP `tools/list` answer, or an OpenAPI 3 document (JSON or YAML). */
    readImport: oc.input(z.object({ text: z.string().max(2_000_000) })).output(z.array(ImportCandidate)),
    exportTools: oc.input(z.object({ names: z.array(ToolName).max(2000) })).output(z.object({ text: z.string() })),
  },
  consents: {
    watch: oc.output(eventIterator(z.array(ConsentRequest))),
    /** Yes runs the bound call once. Rejects tool-consent-over when it expired or was answered. */
    answer: oc.input(z.object({ id: z.string(), yes: z.boolean() })).output(ToolCall.nullable()),
  },
  policies: {
    list: oc.output(z.array(ToolPolicy)),
    put: oc.input(ToolPolicy).output(done),
    remove: oc.input(ToolPolicy.pick({ scope: true, id: true })).output(done),
    classes: oc.output(z.array(DeviceClass)),
    putClass: oc.input(DeviceClass.omit({ active: true })).output(done),
    removeClass: oc.input(z.object({ id: z.string() })).output(done),
    /** One class of a device is active: the others that share a device end. */
    activate: oc.input(z.object({ id: z.string(), active: z.boolean() })).output(done),
  },
}
