import { type AppError, toAppError } from '../../base/app-error.ts'
import type { Log } from '../../base/log.ts'
import { type ThingMember, thingMembers } from '../../contract/thing-engine.ts'
import type { LiveThing } from './live-thing.ts'
import { homeAnswer, type ThingPorts } from './thing-ports.ts'

export interface FirstReadings {
  /** Something changed around these Things: who came back is asked, who went is asked again next time. */
  look(things: readonly LiveThing[]): void
  /** Stops what is under way. */
  close(): void
}

interface ReadingsOptions {
  readonly ports: Pick<ThingPorts, 'board' | 'uart'>
  readonly log: Log
  readonly show: () => void
}

/** uart-mcp.md §2: a microcontroller answers within 5 s or not at all. */
const askTimeoutMs = 5_000

/**
 * Asks a real Thing for its readable properties once when its home comes within reach (issue part 6: a state has an
 * age). One at a time, because a serial port carries one call (uart-mcp.md §2), and without a trace: nobody called.
 */
export function createFirstReadings({ ports, log, show }: ReadingsOptions): FirstReadings {
  const asked = new Set<string>()
  const stop = new AbortController()

  async function ask(thing: LiveThing, home: 'board' | 'uart'): Promise<void> {
    const { deviceId } = thing.binding
    for (const member of thingMembers(thing.work.model).filter(({ kind }) => kind === 'get')) {
      if (stop.signal.aborted || !ports[home].reaches(deviceId)) return
      const name = thing.work.tools.get(member.key)?.name ?? member.tool
      const raw = await ports[home].call({
        deviceId,
        name,
        arguments: {},
        signal: stop.signal,
        timeoutMs: askTimeoutMs,
        turnId: null,
      })
      keep(thing, member, raw)
      show()
    }
  }

  function keep(thing: LiveThing, member: ThingMember, raw: Readonly<Record<string, unknown>>): void {
    try {
      thing.confirm(member, {}, homeAnswer(member, raw, {}))
    } catch (error) {
      log.debug('a first reading does not fit', { member: member.key, error })
    }
  }

  return {
    look(things) {
      for (const thing of things) {
        const { id, home, deviceId } = thing.binding
        if (home === 'simulated' || thing.simulator) continue
        if (!ports[home].reaches(deviceId)) asked.delete(id)
        else if (!asked.has(id)) {
          asked.add(id)
          ask(thing, home).catch((error: unknown) => {
            const { code } = toAppError(error)
            // Its tools are told a moment after the board itself.
            if (isTooEarly(code)) asked.delete(id)
            log.debug('first readings were not told', { thing: thing.binding.thing, code })
          })
        }
      }
    },
    close: () => stop.abort(),
  }
}

function isTooEarly(code: AppError['code']): boolean {
  return code === 'tool-unknown' || code === 'tool-unreachable'
}
