import type { Clock } from '../../base/clock.ts'
import { type ThingState, valueFault } from '../../contract/thing-engine.ts'
import type { ThingModel, ThingReading, ThingValue } from '../../contract/thing.ts'
import type { ThingStore } from '../store/thing-store.ts'

/** Between two tidyings of a property's history. */
const trimEvery = 200

export interface ThingReadings {
  known(): ThingState
  /** The value was confirmed now; its history grows when it is another one. */
  keep(name: string, value: ThingValue): void
  mark(name: string, pending: ThingValue | null): void
  /** Drops what the model does not have or allow any more. */
  fit(model: ThingModel): void
  of(model: ThingModel): Record<string, ThingReading>
}

export interface ReadingsParts {
  readonly store: ThingStore
  readonly clock: Clock
  readonly failed: (error: unknown) => void
}

const nothing: ThingReading = { value: null, at: null, pending: null }

/** The last values of one binding, as they were left at the last stop. */
export async function openReadings(bindingId: string, { store, clock, failed }: ReadingsParts): Promise<ThingReadings> {
  const stored = await store.latest(bindingId)
  const readings = new Map<string, ThingReading>(
    stored.map(({ property, at, value }) => [property, { value, at, pending: null }]),
  )
  let written = 0

  function remember(name: string, at: number, value: ThingValue): void {
    written += 1
    const trim = written % trimEvery === 0
    store
      .addValues(bindingId, [{ property: name, at, value }])
      .then(() => (trim ? store.trimValues(bindingId, name) : undefined))
      .catch(failed)
  }

  return {
    known: () => Object.fromEntries([...readings].map(([name, { value }]) => [name, value])),
    keep(name, value) {
      const at = Math.round(clock.now())
      const before = readings.get(name) ?? nothing
      readings.set(name, { ...before, value, at })
      if (before.value !== value) remember(name, at, value)
    },
    mark: (name, pending) => void readings.set(name, { ...(readings.get(name) ?? nothing), pending }),
    fit(model) {
      for (const [name, { value }] of [...readings]) {
        const property = model.properties.find((candidate) => candidate.name === name)
        if (!property || (value !== null && valueFault(property, value) !== undefined)) readings.delete(name)
      }
    },
    of: (model) => Object.fromEntries(model.properties.map(({ name }) => [name, readings.get(name) ?? nothing])),
  }
}
