import type { ModelAnswer, ModelStatus } from '../../electron/contract/model.ts'
import type { RpcFeatures } from '../../electron/server/rpc/handlers.ts'
import type { WorldName } from './console-world.ts'

// Test support: the model connection as the scripted server of the console tests plays it. Off in the empty house, on
// this machine in the busy one, on the internet and refused in the failed one.

const off: ModelStatus = {
  enabled: false,
  address: '',
  model: '',
  rulesFirst: true,
  hasKey: false,
  host: null,
  reach: null,
  encrypted: false,
  problem: null,
}
const worlds: Record<WorldName, ModelStatus> = {
  empty: off,
  busy: {
    ...off,
    enabled: true,
    address: 'http://127.0.0.1:11434/v1',
    model: 'qwen3:4b',
    host: '127.0.0.1',
    reach: 'here',
  },
  failed: {
    ...off,
    enabled: true,
    address: 'https://models.example.com/v1',
    model: 'large',
    host: 'models.example.com',
    reach: 'internet',
    encrypted: true,
    hasKey: true,
    problem: 'model-key-refused',
  },
}

function placeOf(address: string): Pick<ModelStatus, 'host' | 'reach' | 'encrypted'> {
  if (address === '') return { host: null, reach: null, encrypted: false }
  const { hostname, protocol } = new URL(address)
  return { host: hostname, reach: hostname === '127.0.0.1' ? 'here' : 'internet', encrypted: protocol === 'https:' }
}

export function createModelScript(world: WorldName): { readonly features: Pick<RpcFeatures, 'model'> } {
  let status = worlds[world]
  return {
    features: {
      model: {
        status: () => status,
        put({ key, ...rest }) {
          status = { ...status, ...rest, ...placeOf(rest.address), hasKey: key === null ? status.hasKey : key !== '' }
          return status
        },
        async *test() {
          yield { step: 'first-token', ms: 212, code: null, detail: '' }
          yield { step: 'answer', ms: 534, code: null, detail: 'Hello!' }
          yield { step: 'tool-call', ms: 812, code: 'model-no-tools', detail: '' }
        },
        async *ask({ name, phrases }) {
          const asked =
            phrases.length > 0 ? phrases : ['turn on the lamp', 'lamp off', 'light, please', '开灯', '把灯关了']
          for (const [index, phrase] of asked.entries()) yield answerTo(phrase, index === 1 ? null : name)
        },
      },
    },
  }
}

function answerTo(phrase: string, chosen: string | null): ModelAnswer {
  const said = chosen === null ? 'Which lamp do you mean?' : ''
  const language = /\p{Script=Han}/u.test(phrase) ? 'zh' : 'en'
  const hit = chosen !== null
  return {
    phrase,
    language,
    chosen,
    arguments: hit ? { on: true } : null,
    hit,
    fits: hit || null,
    said,
    ms: 640,
    code: null,
  }
}
