import type { Clock } from '../base/clock.ts'
import type { Launcher } from '../base/launcher.ts'
import type { Log } from '../base/log.ts'
import { bornTools } from '../contract/born-tools.ts'
import type { EngineStatus } from '../contract/server-info.ts'
import { createAgent, type Agent } from './agent/agent.ts'
import { failurePhrases } from './agent/failure-phrases.ts'
import { createPocketSphinx } from './agent/hearing/pocketsphinx.ts'
import type { Hearing, Speaking } from './agent/providers.ts'
import { createSpeaking } from './agent/speaking/speaking.ts'
import { fixedPhrases } from './agent/thinking/replies.ts'
import type { TurnRecorder } from './agent/turn-recorder.ts'
import { type CodecPool, createCodecPool } from './audio/codec-pool.ts'
import { createVad, type Vad } from './audio/vad.ts'
import type { ToolHost } from './tools/tool-host.ts'
import type { ServerConfig } from './config.ts'
import type { ModelDesk } from './model-wiring.ts'

export const agentName = { id: 'default', name: 'Roost', language: 'en' } as const

interface VoiceOptions {
  readonly config: ServerConfig
  readonly launcher: Launcher
  readonly tools: ToolHost
  readonly recorder: TurnRecorder
  readonly clock: Clock
  readonly model: Pick<ModelDesk, 'thinking' | 'engines'>
  readonly log: Log
}

export interface Voice {
  readonly agent: Agent
  readonly codecs: CodecPool
  readonly vad: Vad
  readonly hearing: Hearing
  readonly speaking: Speaking
  engines(): EngineStatus[]
  close(): Promise<void>
}

/** The embedded chain: hear, think, speak, with no download. Engines that are missing are said, not fatal. */
export async function startVoice(options: VoiceOptions): Promise<Voice> {
  const { config, launcher, log, clock } = options
  const codecs = createCodecPool({ log, ...(config.codecWorkers > 0 ? { size: config.codecWorkers } : {}) })
  const [vad, hearing, speaking] = await Promise.all([
    createVad({ launcher, log }),
    createPocketSphinx({ launcher, log }),
    createSpeaking({ launcher, log }),
  ])
  // Before the first turn, and without holding up the start.
  void speaking.warm([...fixedPhrases(bornTools), ...failurePhrases()])
  const agent = createAgent({
    name: `${agentName.name}@1`,
    language: agentName.language,
    hearing,
    thinking: options.model.thinking,
    speaking,
    tools: options.tools,
    recorder: options.recorder,
    clock,
    log,
  })
  return {
    agent,
    codecs,
    vad,
    hearing,
    speaking,
    engines: () => describeEngines({ codecs, vad, hearing, speaking, models: options.model.engines() }),
    async close() {
      vad.close()
      await Promise.all([hearing.close(), speaking.close(), codecs.close()])
    },
  }
}

function describeEngines({
  codecs,
  vad,
  hearing,
  speaking,
  models,
}: Pick<Voice, 'codecs' | 'vad' | 'hearing' | 'speaking'> & { models: EngineStatus[] }): EngineStatus[] {
  const unavailable = hearing.unavailable()
  const voice = (language: 'en' | 'zh'): EngineStatus => {
    const found = speaking.voiceFor(language)
    return {
      role: 'speak',
      name: found?.id ?? '–',
      languages: [language],
      state: found ? 'ready' : 'missing',
      code: found ? null : 'voice-no-voice',
    }
  }
  return [
    {
      role: 'hear',
      name: hearing.id,
      languages: [...hearing.languages],
      state: unavailable === undefined ? 'ready' : unavailable === 'voice-recogniser-missing' ? 'missing' : 'stopped',
      code: unavailable ?? null,
    },
    { role: 'think', name: 'rules', languages: ['en', 'zh'], state: 'ready', code: null },
    ...models,
    voice('en'),
    voice('zh'),
    {
      role: 'vad',
      name: 'silero-v6',
      languages: [],
      state: vad.alive ? 'ready' : 'stopped',
      code: vad.alive ? null : 'voice-vad-stopped',
    },
    { role: 'codec', name: `libopus × ${codecs.stats().workers}`, languages: [], state: 'ready', code: null },
  ]
}
