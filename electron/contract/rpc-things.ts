import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { ReplayFault, ReplayOrder } from './thing-replay.ts'
import {
  SimulatedFault,
  ThingBinding,
  ThingChange,
  ThingDraft,
  ThingIdent,
  ThingLive,
  ThingModel,
  ThingPreview,
  ThingProblem,
  ThingSummary,
  ThingValue,
  ThingVersion,
} from './thing.ts'
import { ToolCall } from './tool.ts'

const done = z.object({ ok: z.literal(true) })
const byBinding = z.object({ bindingId: z.string() })
const note = z.string().trim().max(500)

/** A board type's pins, for the wiring note. */
export const BoardProfile = z.object({
  id: z.string(),
  name: z.string(),
  /** What each GPIO is used for on this board; a free one is not in the list. `use`: `psram`, `microphone`, `strapping`, … */
  pins: z.array(z.object({ gpio: z.number().int(), use: z.string(), taken: z.boolean() })),
})
export type BoardProfile = z.infer<typeof BoardProfile>

export const ThingTemplate = z.object({ id: z.string(), model: ThingModel })
export type ThingTemplate = z.infer<typeof ThingTemplate>

export const ThingReview = z.object({
  changes: z.array(ThingChange),
  problems: z.array(ThingProblem),
  conflict: z.object({ theirs: ThingModel, theirVersion: z.number().int(), author: z.string() }).nullable(),
})
export type ThingReview = z.infer<typeof ThingReview>

export const thingRows = {
  things: {
    list: oc.output(z.array(ThingSummary)),
    watch: oc.output(eventIterator(z.object({ revision: z.number().int() }))),
    detail: oc
      .input(z.object({ name: ThingIdent }))
      .output(
        z.object({ versions: z.array(ThingVersion), drafts: z.array(ThingDraft), bindings: z.array(ThingBinding) }),
      ),
    templates: oc.output(z.array(ThingTemplate)),
    boards: oc.output(z.array(BoardProfile)),
    /** `template` or `from` fills a new draft; rejects thing-name-taken for a template under a known name. */
    openDraft: oc
      .input(z.object({ name: ThingIdent, template: z.string().optional(), from: z.number().int().optional() }))
      .output(ThingDraft),
    saveDraft: oc.input(z.object({ id: z.string(), revision: z.number().int(), model: ThingModel })).output(ThingDraft),
    dropDraft: oc.input(z.object({ id: z.string() })).output(done),
    review: oc.input(z.object({ draftId: z.string() })).output(ThingReview),
    /** All outputs of a model, also of one that was never saved. */
    previews: oc.input(z.object({ name: ThingIdent, model: ThingModel })).output(z.array(ThingPreview)),
    publish: oc
      .input(
        z.object({
          draftId: z.string(),
          basedOn: z.number().int().nullable(),
          note,
          canary: z.array(z.string()).max(64),
        }),
      )
      .output(ThingVersion),
    promote: oc.input(z.object({ name: ThingIdent, version: z.number().int() })).output(done),
    rollBack: oc.input(z.object({ name: ThingIdent, to: z.number().int(), note })).output(ThingVersion),
    remove: oc.input(z.object({ name: ThingIdent })).output(done),
    /** Not `bind`: a function of the typed client has one already. */
    bindTo: oc.input(ThingBinding.omit({ id: true })).output(ThingBinding),
    unbind: oc.input(byBinding).output(done),
    /** A simulated Thing of a draft, talked to at once: a virtual board of its own is not needed. */
    simulate: oc.input(z.object({ draftId: z.string(), deviceId: z.string() })).output(ThingBinding),
    live: oc.input(z.object({ deviceId: z.string().optional() })).output(eventIterator(z.array(ThingLive))),
    write: oc.input(byBinding.extend({ property: ThingIdent, value: ThingValue })).output(ToolCall),
    invoke: oc
      .input(byBinding.extend({ method: ThingIdent, arguments: z.record(z.string(), ThingValue) }))
      .output(ToolCall),
    /** Simulated Things: the value as if the device itself had changed it, an event, a fault. */
    setReading: oc.input(byBinding.extend({ property: ThingIdent, value: ThingValue })).output(done),
    raise: oc.input(byBinding.extend({ event: ThingIdent, params: z.record(z.string(), ThingValue) })).output(done),
    /** The text of a CSV; nothing is played when it has faults. Rejects thing-replay-bad, thing-not-simulated. */
    startReplay: oc
      .input(byBinding.extend({ file: z.string().max(200), text: z.string().max(700_000) }))
      .output(z.object({ faults: z.array(ReplayFault) })),
    /** Rejects thing-no-replay. */
    steerReplay: oc.input(byBinding.extend({ order: ReplayOrder })).output(done),
    setFault: oc.input(byBinding.extend({ fault: SimulatedFault })).output(done),
    history: oc
      .input(byBinding.extend({ property: ThingIdent, limit: z.number().int().min(1).max(2000) }))
      .output(z.array(z.object({ at: z.number(), value: ThingValue }))),
  },
}
