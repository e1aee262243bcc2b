import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { Turn, TurnEvent, TurnKind } from '../../electron/contract/conversation.ts'
import { api, subscribe } from '../client/client.ts'
import { whatBecameOf } from './lost-turns.ts'

export interface TurnQuery {
  readonly deviceId?: string
  readonly text?: string
  readonly status?: 'done' | 'aborted' | 'failed' | 'mute'
  readonly kind?: TurnKind
  readonly withTools?: boolean
  readonly slowerThanMs?: number
  readonly toolRef?: string
}

const KEPT = 300

/**
 * Turns as they happen, newest first. A running turn is sent whole at every change, so a later event simply replaces it;
 * an older revision that arrives late is dropped.
 */
export const useTurnsStore = defineStore('turns', () => {
  const live = shallowRef<readonly Turn[]>([])
  const revisions = new Map<string, number>()

  function take({ revision, turn }: TurnEvent) {
    if ((revisions.get(turn.id) ?? -1) > revision) return
    revisions.set(turn.id, revision)
    const rest = live.value.filter((other) => other.id !== turn.id)
    const place = rest.findIndex((other) => other.startedAt <= turn.startedAt)
    const at = place < 0 ? rest.length : place
    const next = [...rest.slice(0, at), turn, ...rest.slice(at)]
    for (const gone of next.slice(KEPT)) revisions.delete(gone.id)
    live.value = next.slice(0, KEPT)
  }

  // The stream begins with the turns that run: one that ended while the connection was away is never told of there.
  async function settleLost() {
    for (const turn of live.value.filter((one) => one.status === 'running')) {
      const now = await whatBecameOf(turn, get)
      // Another object in its place means that the stream has told about it meanwhile.
      if (now) live.value = live.value.map((other) => (other === turn ? now : other))
    }
  }

  function start() {
    return subscribe(async (signal) => {
      const events = await api.turns.watch({}, { signal })
      // A restarted server counts from the beginning.
      revisions.clear()
      void settleLost()
      return events
    }, take)
  }

  const list = (query: TurnQuery, before: string | null, limit = 60) =>
    api.turns.list({ ...query, ...(before === null ? {} : { before }), limit })
  const get = (id: string) => api.turns.get({ id })

  return {
    live,
    start,
    list,
    get,
    type: (deviceId: string, text: string) => api.talk.type({ deviceId, text }),
    speak: (deviceId: string, text: string) => api.talk.speak({ deviceId, text }),
    stop: (deviceId: string) => api.talk.stop({ deviceId }),
  }
})
