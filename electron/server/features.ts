import { AppError } from '../base/app-error.ts'
import type { Devices } from './devices/devices.ts'
import type { Enrolment } from './devices/enrolment.ts'
import type { Fleet } from './devices/fleet.ts'
import type { FlashJobs } from './flash-jobs.ts'
import type { Flasher } from './flash/flasher.ts'
import { createHelperFeatures, type HelperParts } from './helper-features.ts'
import type { ImageLibrary } from './image-library.ts'
import type { Jobs } from './jobs/jobs.ts'
import { createMcpFeatures } from './mcp-features.ts'
import type { Mcp } from './mcp-wiring.ts'
import type { ModelDesk } from './model-wiring.ts'
import type { Overview } from './overview.ts'
import type { RpcFeatures } from './rpc/handlers.ts'
import type { Sessions } from './session/sessions.ts'
import { microphoneSpeech } from './spoken-sample.ts'
import type { Store } from './store/store.ts'
import type { Recorder } from './telemetry/recorder.ts'
import { watchSound } from './sound-feed.ts'
import { watchTails } from './telemetry-feed.ts'
import { createThingFeatures } from './thing-features.ts'
import type { Things } from './thing-wiring.ts'
import { createToolFeatures, type ToolParts } from './tool-features.ts'
import type { TurnRecorder } from './agent/turn-recorder.ts'
import type { UartDesk } from './uart-features.ts'
import type { Voice } from './voice.ts'
import type { VirtualChips } from './virtual-chips.ts'

interface Parts extends ToolParts, HelperParts {
  readonly model: Pick<ModelDesk, 'features'>
  readonly mcp: Pick<Mcp, 'external' | 'clients'>
  readonly uart: Pick<UartDesk, 'features'>
  readonly things: Things
  readonly store: Store
  readonly devices: Devices
  readonly fleet: Fleet
  readonly enrolment: Enrolment
  readonly sessions: Sessions
  readonly turns: TurnRecorder
  readonly recorder: Recorder
  readonly jobs: Jobs
  readonly flasher: Flasher
  readonly flashJobs: FlashJobs
  readonly library: ImageLibrary
  readonly chips: VirtualChips
  readonly overview: Overview
  readonly voice: Voice
}

const ok = { ok: true } as const

/** The rows of contract/rpc.ts, each led to the feature that answers it. */
export function createFeatures(parts: Parts): RpcFeatures {
  return {
    server: {
      overview: () => parts.overview.now(),
      watch: (_input, { signal }) => parts.overview.watch(signal),
    },
    ...deviceFeatures(parts),
    ...talkFeatures(parts),
    ...recordFeatures(parts),
    ...flashFeatures(parts),
    ...createToolFeatures(parts),
    things: createThingFeatures(parts.things),
    uart: parts.uart.features,
    ...createHelperFeatures(parts),
    ...createMcpFeatures(parts.mcp),
    ...parts.model.features(parts),
  }
}

function deviceFeatures({ devices, fleet, enrolment, chips, recorder, flashJobs, things }: Parts) {
  return {
    fleet: {
      watch: (_input, { signal }) => fleet.watch(signal),
      rename: async ({ deviceId, name }) => {
        await devices.rename(deviceId, name)
        return ok
      },
      block: async ({ deviceId, blocked }) => {
        await devices.block(deviceId, blocked)
        return ok
      },
      revoke: async ({ deviceId }) => {
        await devices.revoke(deviceId)
        return ok
      },
      forget: async ({ deviceId }) => {
        await devices.forget(deviceId)
        await chips.remove(deviceId)
        await recorder.forget(deviceId)
        await things.runtime.forget(deviceId)
        return ok
      },
      control: ({ deviceId, action }) => {
        devices.control(deviceId, action)
        return ok
      },
    },
    enrolment: {
      approve: ({ code }) => {
        enrolment.approve(code)
        return ok
      },
      reject: ({ code }) => {
        enrolment.reject(code)
        return ok
      },
      makeClaim: ({ deviceId, name }) => flashJobs.makeClaim(deviceId, name),
      window: ({ minutes }) => {
        enrolment.openWindow(minutes)
        return ok
      },
    },
  } satisfies Pick<RpcFeatures, 'fleet' | 'enrolment'>
}

function talkFeatures({ sessions, chips, voice }: Parts) {
  return {
    talk: {
      type: ({ deviceId, text }) => sessions.openTurn(deviceId, { source: 'typed', text }),
      sound: ({ deviceId }, { signal }) => watchSound(chips, deviceId, signal),
      speak: async ({ deviceId, text }) => {
        if (!chips.has(deviceId))
          throw new AppError('server-bad-request', `${deviceId} is no virtual board of this server`)
        chips.speak(deviceId, await microphoneSpeech(voice.speaking, text), text)
        return ok
      },
      stop: ({ deviceId }) => {
        sessions.stop(deviceId)
        return ok
      },
    },
  } satisfies Pick<RpcFeatures, 'talk'>
}

function recordFeatures({ store, turns, recorder }: Parts) {
  return {
    turns: {
      list: (filter) => store.turns.list(filter),
      get: async ({ id }) => {
        const turn = turns.running().find((running) => running.id === id) ?? (await store.turns.get(id))
        if (!turn) throw new AppError('server-not-found', `There is no turn ${id}`)
        return turn
      },
      watch: async function* ({ deviceId }, { signal }) {
        const changes = turns.feed.subscribe(signal, { key: ({ turn }) => turn.id })
        for (const turn of turns.running()) {
          if (deviceId === undefined || turn.deviceId === deviceId) yield { revision: turns.feed.revision, turn }
        }
        for await (const event of changes) if (deviceId === undefined || event.turn.deviceId === deviceId) yield event
      },
    },
    telemetry: {
      series: (query) => recorder.series(query),
      metrics: ({ deviceId }) => recorder.metrics(deviceId),
      events: ({ deviceId, limit }) => recorder.events(deviceId, limit),
      watch: ({ deviceId }, { signal }) => watchTails(recorder, deviceId, signal),
    },
  } satisfies Pick<RpcFeatures, 'turns' | 'telemetry'>
}

function flashFeatures({ flasher, flashJobs, library, jobs, chips }: Parts) {
  return {
    flash: {
      ports: async () => {
        const own = new Set(chips.ports())
        const ports = await flasher.listPorts()
        const listed = ports.map((port) => ({ ...port, virtual: port.virtual || own.has(port.path) }))
        return listed.filter((port) => !own.has(port.path))
      },
      images: () => library.list(),
      removeImage: async ({ id }) => {
        await library.remove(id)
        return ok
      },
      start: (order) => flashJobs.start(order),
      tryWithoutBoard: () => flashJobs.tryWithoutBoard(),
    },
    jobs: {
      watch: (_input, { signal }) => jobs.watch(signal),
      get: ({ id }) => jobs.get(id),
      cancel: ({ id }) => {
        jobs.cancel(id)
        return ok
      },
      retry: async ({ id }) => ({ jobId: (await jobs.retry(id)).id }),
      log: ({ id, after }) => jobs.log(id, after),
    },
  } satisfies Pick<RpcFeatures, 'flash' | 'jobs'>
}
