import { AppError } from '../base/app-error.ts'
import { ThingModel } from '../contract/thing.ts'
import { boardProfiles } from './things/boards.ts'
import { thingPreviews } from './things/previews/previews.ts'
import { thingTemplates } from './things/templates.ts'
import type { Things } from './thing-wiring.ts'
import type { RpcFeatures } from './rpc/handlers.ts'

const ok = { ok: true } as const

/** The rows of contract/rpc-things.ts. */
export function createThingFeatures({ book, runtime }: Things): RpcFeatures['things'] {
  return { ...drawing(book, runtime), ...working(runtime) }
}

function drawing(book: Things['book'], runtime: Things['runtime']) {
  const bindingsOf = (name: string) => runtime.bindings().filter(({ thing }) => thing === name)
  const counted = () => Map.groupBy(runtime.bindings(), ({ thing }) => thing)
  return {
    list: () => book.list(new Map([...counted()].map(([thing, bindings]) => [thing, bindings.length]))),
    watch: (_input, { signal }) => book.watch(signal),
    detail({ name }) {
      if (!book.knows(name)) throw new AppError('thing-unknown', `There is no Thing called ${name}`)
      return { versions: book.history(name), drafts: [...book.drafts(name)], bindings: bindingsOf(name) }
    },
    templates: () => [...thingTemplates],
    boards: () => [...boardProfiles],
    openDraft: (order, { account }) => book.openDraft({ ...order, author: account.name }),
    saveDraft: ({ id, revision, model }) => book.saveDraft({ id, revision, model: ThingModel.parse(model) }),
    async dropDraft({ id }) {
      await book.dropDraft(id)
      return ok
    },
    review: ({ draftId }) => book.review(draftId),
    previews: ({ name, model }) => thingPreviews(name, ThingModel.parse(model)),
    publish: (order, { account }) => book.publish({ ...order, author: account.name }),
    async promote({ name, version }) {
      await book.promote(name, version)
      return ok
    },
    rollBack: (order, { account }) => book.rollBack({ ...order, author: account.name }),
    async remove({ name }) {
      await book.remove(name)
      return ok
    },
  } satisfies Partial<RpcFeatures['things']>
}

function working(runtime: Things['runtime']) {
  return {
    bindTo: (order) => runtime.bind(order),
    async unbind({ bindingId }) {
      await runtime.unbind(bindingId)
      return ok
    },
    simulate: (order) => runtime.simulate(order),
    live: ({ deviceId }, { signal }) => runtime.watch(deviceId, signal),
    write: (order, { signal }) => runtime.write(order, signal),
    invoke: (order, { signal }) => runtime.invoke(order, signal),
    setReading(order) {
      runtime.setReading(order)
      return ok
    },
    async raise(order) {
      await runtime.raise(order)
      return ok
    },
    setFault({ bindingId, fault }) {
      runtime.setFault(bindingId, fault)
      return ok
    },
    startReplay: (order) => runtime.startReplay(order),
    steerReplay({ bindingId, order }) {
      runtime.steerReplay(bindingId, order)
      return ok
    },
    history: (query) => runtime.history(query),
  } satisfies Partial<RpcFeatures['things']>
}
