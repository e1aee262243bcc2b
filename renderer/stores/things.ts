import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { BoardProfile, ThingTemplate } from '../../electron/contract/rpc-things.ts'
import type { ReplayOrder } from '../../electron/contract/thing-replay.ts'
import type {
  SimulatedFault,
  ThingBinding,
  ThingLive,
  ThingModel,
  ThingSummary,
  ThingValue,
} from '../../electron/contract/thing.ts'
import { api, subscribe } from '../client/client.ts'
import { toProblem, type Problem } from '../client/problem.ts'

const orders = {
  write: (bindingId: string, property: string, value: ThingValue) => api.things.write({ bindingId, property, value }),
  invoke: (bindingId: string, method: string, args: Record<string, ThingValue>) =>
    api.things.invoke({ bindingId, method, arguments: args }),
  setReading: (bindingId: string, property: string, value: ThingValue) =>
    api.things.setReading({ bindingId, property, value }),
  raise: (bindingId: string, event: string, params: Record<string, ThingValue>) =>
    api.things.raise({ bindingId, event, params }),
  setFault: (bindingId: string, fault: SimulatedFault) => api.things.setFault({ bindingId, fault }),
  startReplay: (bindingId: string, file: string, text: string) => api.things.startReplay({ bindingId, file, text }),
  steerReplay: (bindingId: string, order: ReplayOrder) => api.things.steerReplay({ bindingId, order }),
  history: (bindingId: string, property: string) => api.things.history({ bindingId, property, limit: 120 }),
  bind: (order: Omit<ThingBinding, 'id'>) => api.things.bindTo(order),
  unbind: (bindingId: string) => api.things.unbind({ bindingId }),
  previews: (name: string, model: ThingModel) => api.things.previews({ name, model }),
  remove: (name: string) => api.things.remove({ name }),
}

/** All Things of the house. The watch only says that something changed; the list is asked for again. */
export const useThingsStore = defineStore('things', () => {
  const list = shallowRef<readonly ThingSummary[] | null>(null)
  const problem = shallowRef<Problem | null>(null)
  const templates = shallowRef<readonly ThingTemplate[] | null>(null)
  const boards = shallowRef<readonly BoardProfile[] | null>(null)
  const revision = ref(0)

  async function load() {
    try {
      list.value = await api.things.list()
      problem.value = null
    } catch (error) {
      problem.value = toProblem(error)
    }
  }
  async function loadTemplates() {
    templates.value ??= await api.things.templates()
  }
  async function loadBoards() {
    boards.value ??= await api.things.boards()
  }

  const follow = () =>
    subscribe(
      (signal) => api.things.watch(undefined, { signal }),
      (event) => {
        revision.value = event.revision
        void load()
      },
    )
  /** Things at work on one board. */
  const followLive = (deviceId: string, take: (live: readonly ThingLive[]) => void) =>
    subscribe((signal) => api.things.live({ deviceId }, { signal }), take)

  return { list, problem, templates, boards, revision, load, loadTemplates, loadBoards, follow, followLive, ...orders }
})
