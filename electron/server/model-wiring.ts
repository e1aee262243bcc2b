import { AppError } from '../base/app-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { EngineStatus } from '../contract/server-info.ts'
import type { ModelStatus } from '../contract/model.ts'
import { type ModelConnection, openModelConnection } from './agent/model/model-connection.ts'
import { askModel, testModel, type TrialOptions } from './agent/model/model-trial.ts'
import { createThinkingChain } from './agent/model/thinking-chain.ts'
import type { Thinking } from './agent/providers.ts'
import { detectLanguage } from './agent/thinking/language.ts'
import { chosenTool, everybodysTools } from './asked-tools.ts'
import type { ServerConfig } from './config.ts'
import type { RpcFeatures } from './rpc/handlers.ts'
import type { Store } from './store/store.ts'
import type { ToolParts } from './tool-features.ts'
import { phrasingsOf } from './tool-phrasings.ts'

interface Parts {
  readonly config: Pick<ServerConfig, 'offline'>
  readonly store: Pick<Store, 'meta'>
  readonly clock: Clock
  /** The clock on the wall. */
  readonly wall: () => number
  readonly log: Log
}

type AskedTools = Pick<ToolParts, 'tools' | 'registry' | 'toolDrafts' | 'checker'>

/** The model that a person may connect: as a thinker, as an engine that is shown, and as rows of the console. */
export interface ModelDesk {
  readonly thinking: Thinking
  engines(): EngineStatus[]
  features(tools: AskedTools): Pick<RpcFeatures, 'model'>
}

export async function openModelDesk({ config, store, clock, wall, log }: Parts): Promise<ModelDesk> {
  const connection = await openModelConnection({ meta: store.meta, offline: config.offline, log: log.child('model') })
  const now = () => new Date(wall())
  const trial = (signal: AbortSignal): TrialOptions => ({ target: connection.target(), clock, now, signal })
  return {
    thinking: createThinkingChain({ connection, clock, now, log }),
    engines: () => (connection.isOn() ? [engineOf(connection.status())] : []),
    features: (tools) => ({
      model: {
        status: () => connection.status(),
        put: (input) => connection.put(input),
        async *test(_input, { signal }) {
          for await (const step of testModel(trial(signal))) {
            if (step.step === 'first-token') connection.noteResult(step.code)
            yield step
          }
        },
        ask: (question, { signal }) => ask({ question, tools, connection, trial: () => trial(signal) }),
      },
    }),
  }
}

function engineOf({ host, model, problem }: ModelStatus): EngineStatus {
  const state = problem === null ? 'ready' : 'stopped'
  return { role: 'think', name: `${model} · ${host ?? '–'}`, languages: [], state, code: problem }
}

interface Asking {
  readonly question: Parameters<RpcFeatures['model']['ask']>[0]
  readonly tools: AskedTools
  readonly connection: ModelConnection
  readonly trial: () => TrialOptions
}

async function* ask({ question, tools, connection, trial }: Asking) {
  const { name, draftId, deviceId, phrases } = question
  if (!connection.isOn()) throw new AppError('model-off', 'Nothing was sent')
  const tool = chosenTool(tools, { name, draftId, deviceId })
  const offered = deviceId === undefined ? everybodysTools(tools.registry) : await tools.tools.vocabulary(deviceId)
  const given = phrases.map((phrase) => ({ phrase, language: detectLanguage(phrase) }))
  yield* askModel(
    {
      tool,
      offered,
      phrases: given.length > 0 ? given : phrasingsOf(tool),
      fits: (one, args) => tools.checker.fault(one.arguments, args) === undefined,
    },
    trial(),
  )
}
