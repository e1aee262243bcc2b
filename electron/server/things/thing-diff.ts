import { isDeepStrictEqual } from 'node:util'
import { isMultiple } from '../../contract/thing-engine.ts'
import type {
  ThingChange,
  ThingEvent,
  ThingMethod,
  ThingModel,
  ThingParam,
  ThingProperty,
} from '../../contract/thing.ts'

type Level = ThingChange['level']
interface Note {
  readonly level: Level
  readonly code: string
  readonly at: string
  readonly before: unknown
  readonly after: unknown
}

/**
 * What changed in meaning. *breaking*: a call or an answer that was right before is not any more; *risky*: it is, but
 * something else may happen or be understood; *safe*: everything that worked works. `path`: `properties/level/maximum`.
 */
export function thingDiff(before: ThingModel | null, after: ThingModel): ThingChange[] {
  const old: Pick<ThingModel, 'properties' | 'methods' | 'events' | 'hidden'> = before ?? {
    properties: [],
    methods: [],
    events: [],
    hidden: [],
  }
  const notes = [
    ...listDiff('properties', { before: old.properties, after: after.properties, one: propertyDiff }),
    ...listDiff('methods', { before: old.methods, after: after.methods, one: methodDiff }),
    ...listDiff('events', { before: old.events, after: after.events, one: eventDiff }),
    ...exposureDiff(old.hidden, after.hidden),
    ...(before ? wholeDiff(before, after) : []),
  ]
  return notes.map(({ at, ...note }) => ({ ...note, path: at }))
}

interface Named {
  readonly name: string
}
interface Lists<T> {
  readonly before: readonly T[]
  readonly after: readonly T[]
  readonly one: (before: T, after: T) => Note[]
}

function listDiff<T extends Named>(list: string, { before, after, one }: Lists<T>): Note[] {
  const removed = before
    .filter(({ name }) => !after.some((row) => row.name === name))
    .map((row) => note('breaking', 'member-removed', { at: `${list}/${row.name}`, before: row.name, after: null }))
  const kept = after.flatMap((row) => {
    const older = before.find(({ name }) => name === row.name)
    if (!older) return [note('safe', 'member-added', { at: `${list}/${row.name}`, before: null, after: row.name })]
    return one(older, row).map((found) => ({ ...found, at: `${list}/${row.name}${found.at}` }))
  })
  const order = (rows: readonly T[], others: readonly T[]) =>
    rows.map(({ name }) => name).filter((name) => others.some((row) => row.name === name))
  const moved = !isDeepStrictEqual(order(before, after), order(after, before))
  // The first switch and the first level are what a sentence without a name means (thing-speech.ts).
  const moving = moved
    ? [note('risky', 'order-changed', { at: list, before: order(before, after), after: order(after, before) })]
    : []
  return [...removed, ...kept, ...moving]
}

function note(level: Level, code: string, rest: Pick<Note, 'at' | 'before' | 'after'>): Note {
  return { level, code, ...rest }
}

function propertyDiff(before: ThingProperty, after: ThingProperty): Note[] {
  const notes = valueDiff(before, after)
  if (before.access !== after.access) {
    const lost = !covers(after.access, before.access)
    notes.push(
      note(lost ? 'breaking' : 'safe', lost ? 'access-narrowed' : 'access-widened', {
        at: '/access',
        before: before.access,
        after: after.access,
      }),
    )
  }
  if (before.initial !== after.initial)
    notes.push(note('safe', 'initial-changed', { at: '/initial', before: before.initial, after: after.initial }))
  return notes
}

function covers(wide: ThingProperty['access'], narrow: ThingProperty['access']): boolean {
  return wide === 'read-write' || wide === narrow
}

function methodDiff(before: ThingMethod, after: ThingMethod): Note[] {
  const notes = [...wordsDiff(before, after), ...paramsDiff(before.params, after.params)]
  const ranks = ['read', 'harmless', 'physical', 'destructive']
  if (before.danger !== after.danger) {
    const raised = ranks.indexOf(after.danger) > ranks.indexOf(before.danger)
    const level = after.danger === 'destructive' ? 'breaking' : 'risky'
    notes.push(
      note(level, raised ? 'danger-raised' : 'danger-lowered', {
        at: '/danger',
        before: before.danger,
        after: after.danger,
      }),
    )
  }
  if (!isDeepStrictEqual(before.sets, after.sets))
    notes.push(note('risky', 'effect-changed', { at: '/sets', before: before.sets, after: after.sets }))
  return notes
}

function eventDiff(before: ThingEvent, after: ThingEvent): Note[] {
  const notes = [...wordsDiff(before, after), ...paramsDiff(before.params, after.params)]
  if (!isDeepStrictEqual(before.announce, after.announce))
    notes.push(
      note('safe', 'announcement-changed', { at: '/announce', before: before.announce, after: after.announce }),
    )
  return notes
}

/** Every parameter is required, so one more breaks the calls that are made today. */
function paramsDiff(before: readonly ThingParam[], after: readonly ThingParam[]): Note[] {
  return listDiff('/params', { before, after, one: valueDiff })
    .filter(({ code }) => code !== 'order-changed')
    .map((found) => (found.code === 'member-added' ? { ...found, level: 'breaking', code: 'parameter-added' } : found))
}

function valueDiff(before: ThingParam, after: ThingParam): Note[] {
  if (before.type !== after.type && !(before.type === 'integer' && after.type === 'number'))
    return [
      note('breaking', 'type-changed', { at: '/type', before: before.type, after: after.type }),
      ...wordsDiff(before, after),
    ]
  const widened =
    before.type === after.type
      ? []
      : [note('risky', 'type-widened', { at: '/type', before: before.type, after: after.type })]
  const unit =
    before.unit === after.unit
      ? []
      : [note('breaking', 'unit-changed', { at: '/unit', before: before.unit ?? null, after: after.unit ?? null })]
  return [
    ...widened,
    ...boundDiff('minimum', before.minimum, after.minimum),
    ...boundDiff('maximum', before.maximum, after.maximum),
    ...stepDiff(before.step, after.step),
    ...valuesDiff(before.values, after.values),
    ...unit,
    ...wordsDiff(before, after),
    ...(isDeepStrictEqual(before.valueNames, after.valueNames)
      ? []
      : [note('risky', 'names-changed', { at: '/valueNames', before: before.valueNames, after: after.valueNames })]),
  ]
}

function boundDiff(bound: 'minimum' | 'maximum', before: number | undefined, after: number | undefined): Note[] {
  if (before === after) return []
  const open = bound === 'minimum' ? -Infinity : Infinity
  const [from, to] = [before ?? open, after ?? open]
  const narrower = bound === 'minimum' ? to > from : to < from
  return [
    note(narrower ? 'breaking' : 'safe', narrower ? 'range-narrowed' : 'range-widened', {
      at: `/${bound}`,
      before: before ?? null,
      after: after ?? null,
    }),
  ]
}

function stepDiff(before: number | undefined, after: number | undefined): Note[] {
  if (before === after) return []
  const finer = after === undefined || (before !== undefined && isMultiple(before, after))
  const facts = { at: '/step', before: before ?? null, after: after ?? null }
  return [note(finer ? 'safe' : 'breaking', finer ? 'step-finer' : 'step-coarser', facts)]
}

function valuesDiff(before: readonly string[] | undefined, after: readonly string[] | undefined): Note[] {
  if (isDeepStrictEqual(before, after)) return []
  const gone =
    before === undefined ? after !== undefined : after !== undefined && before.some((value) => !after.includes(value))
  const facts = { at: '/values', before: before ?? null, after: after ?? null }
  return [note(gone ? 'breaking' : 'safe', gone ? 'values-removed' : 'values-added', facts)]
}

interface Worded {
  readonly description: string
  readonly names: unknown
}

function wordsDiff(before: Worded, after: Worded): Note[] {
  return [
    ...(before.description === after.description
      ? []
      : [
          note('safe', 'description-changed', {
            at: '/description',
            before: before.description,
            after: after.description,
          }),
        ]),
    // A sentence that was understood may not be any more.
    ...(isDeepStrictEqual(before.names, after.names)
      ? []
      : [note('risky', 'names-changed', { at: '/names', before: before.names, after: after.names })]),
  ]
}

function exposureDiff(before: readonly string[], after: readonly string[]): Note[] {
  return [
    ...after
      .filter((key) => !before.includes(key))
      .map((key) => note('breaking', 'tool-hidden', { at: `hidden/${key}`, before: true, after: false })),
    ...before
      .filter((key) => !after.includes(key))
      .map((key) => note('safe', 'tool-shown', { at: `hidden/${key}`, before: false, after: true })),
  ]
}

function wholeDiff(before: ThingModel, after: ThingModel): Note[] {
  return [
    ...wordsDiff(before, after),
    ...(isDeepStrictEqual(before.title, after.title)
      ? []
      : [note('risky', 'title-changed', { at: '/title', before: before.title, after: after.title })]),
    ...(isDeepStrictEqual(before.wiring, after.wiring)
      ? []
      : [note('risky', 'wiring-changed', { at: '/wiring', before: before.wiring, after: after.wiring })]),
  ].map((found) => ({ ...found, at: found.at.slice(1) }))
}
