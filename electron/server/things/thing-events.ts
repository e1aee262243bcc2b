import { AppError, toAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { argumentFault } from '../../contract/thing-engine.ts'
import type { ThingEvent, ThingValue } from '../../contract/thing.ts'
import type { LiveThing } from './live-thing.ts'
import type { ThingPorts } from './thing-ports.ts'

export interface ThingEvents {
  /** A person lets it happen. Rejects thing-member-unknown, tool-bad-arguments. */
  raise(thing: LiveThing, said: { name: string; params: Params }): Promise<void>
  /** It happened on the board itself. Never rejects; figures that do not fit are left out. */
  reported(things: readonly LiveThing[], said: { code: string; message: string }): Promise<void>
}

type Params = Readonly<Record<string, ThingValue>>

interface EventsOptions {
  readonly ports: Pick<ThingPorts, 'announce'>
  readonly clock: Clock
  readonly log: Log
  readonly show: () => void
}

/** A board that reports in a flood must not talk without end. */
const quietMs = 10_000

/** What Things tell by themselves: kept, shown and, where the model says so, said aloud. */
export function createThingEvents({ ports, clock, log, show }: EventsOptions): ThingEvents {
  const saidAt = new Map<string, number>()

  async function occur(thing: LiveThing, event: ThingEvent, params: Params): Promise<void> {
    const { deviceId } = thing.binding
    const announced = event.announce
      ? await ports.announce(deviceId, { en: fill(event.announce.en, params), zh: fill(event.announce.zh, params) })
      : false
    note(thing, event, { params, announced })
  }

  function note(thing: LiveThing, event: ThingEvent, told: { params: Params; announced: boolean }): void {
    thing.occurred({
      at: Math.round(clock.now()),
      event: event.name,
      params: { ...told.params },
      announced: told.announced,
    })
    show()
  }

  return {
    async raise(thing, { name, params }) {
      const event = eventOf(thing, name)
      if (!event) throw new AppError('thing-member-unknown', `There is no event ${name}`)
      const fault = argumentFault(event, params)
      if (fault) throw new AppError('tool-bad-arguments', fault.message)
      await occur(thing, event, params)
    },
    async reported(things, { code, message }) {
      for (const thing of things.filter(({ binding }) => binding.home !== 'simulated')) {
        const event = eventOf(thing, code)
        if (!event) continue
        const params = paramsOf(event, message)
        const key = `${thing.binding.id} ${code}`
        const isFlood = clock.now() - (saidAt.get(key) ?? -Infinity) < quietMs
        if (isFlood) note(thing, event, { params, announced: false })
        else {
          saidAt.set(key, clock.now())
          await occur(thing, event, params).catch((error: unknown) =>
            log.warn('an event was not told', { code, error: toAppError(error).code }),
          )
        }
      }
    },
  }
}

const eventOf = (thing: LiveThing, wanted: string) => thing.work.model.events.find(({ name }) => name === wanted)

const fill = (text: string, params: Params) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))

/** All parameters of the event from a JSON object, or none. */
function paramsOf(event: ThingEvent, message: string): Params {
  if (event.params.length === 0 || !message.startsWith('{')) return {}
  try {
    const found = JSON.parse(message) as Record<string, unknown>
    if (argumentFault(event, found)) return {}
    // Checked in the line above: each parameter is there and is a ThingValue.
    return Object.fromEntries(event.params.map(({ name }) => [name, found[name] as ThingValue]))
  } catch {
    return {}
  }
}
