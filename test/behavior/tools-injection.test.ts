import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../electron/base/clock.ts'
import { silentLog } from '../../electron/base/log.ts'
import { bornTools } from '../../electron/contract/born-tools.ts'
import type { ToolContent } from '../../electron/contract/tool-registry.ts'
import type { ToolVersion } from '../../electron/contract/tool.ts'
import { type Agent, createAgent } from '../../electron/server/agent/agent.ts'
import type { Thinking, ThinkingInput } from '../../electron/server/agent/providers.ts'
import type { TurnOutput } from '../../electron/server/agent/turn-output.ts'
import { createTurnRecorder } from '../../electron/server/agent/turn-recorder.ts'
import { openStore } from '../../electron/server/store/open-store.ts'
import type { Store } from '../../electron/server/store/store.ts'
import { createSchemaChecker } from '../../electron/server/tools/json-schema.ts'
import { createToolHost, type ToolHost } from '../../electron/server/tools/tool-host.ts'
import type { ToolProvider } from '../../electron/server/tools/tool-provider.ts'
import { createToolRegistry } from '../../electron/server/tools/tool-registry.ts'
import { dangerousIn, injections } from '../support/injection-corpus.ts'
import { createScriptedEngines } from '../support/scripted-engines.ts'

const dangerous = ['unlock_door', 'erase_notes', 'firmware_update', 'factory_reset', 'revoke_tokens', 'pair_device']

let dir: string
let store: Store
let host: ToolHost
let agent: Agent
/** What reached the far end. */
let ran: string[]
/** What the model tried. */
let tried: string[]
let poison: { result: string; description: string }
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-injection-'))
  store = await openStore({ dir, log: silentLog })
  ran = []
  tried = []
  poison = { result: 'calm', description: 'Reads the sensor.' }
  const checker = createSchemaChecker()
  const parts = { checker, clock: systemClock, log: silentLog }
  const registry = await createToolRegistry({ store: store.tools, edits: store.toolEdits, ...parts })
  const tools = new Map<string, ToolVersion>()
  for (const name of ['read_sensor', ...dangerous]) {
    const content: ToolContent = {
      ...bornTools[0]!,
      description: name,
      arguments: { type: 'object' },
      result: null,
      danger: name === 'read_sensor' ? 'read' : 'destructive',
    }
    tools.set(name, await registry.adopt(content, { name, origin: 'builtin', owner: 'test' }))
  }
  host = createToolHost({ registry, ...parts, providers: [provider(tools)] })
  const engines = createScriptedEngines({ voice: 'missing' })
  const recorder = createTurnRecorder({ store: store.turns, clock: systemClock, log: silentLog })
  agent = createAgent({
    name: 'A',
    language: 'en',
    hearing: engines.hearing,
    speaking: engines.speaking,
    thinking: obedient,
    tools: host,
    recorder,
    clock: systemClock,
    log: silentLog,
  })
})
afterEach(async () => {
  host.close()
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

function provider(tools: ReadonlyMap<string, ToolVersion>): ToolProvider {
  return {
    id: 'far end',
    offers: async () =>
      [...tools.values()].map((tool) => ({
        name: tool.name,
        // A description that turned evil, as an outside server's might.
        tool: tool.name === 'read_sensor' ? { ...tool, description: poison.description } : tool,
        reachable: true,
        source: 'thing',
        provider: 'test',
      })),
    call: async ({ tool }) => {
      ran.push(tool.name)
      return { text: poison.result }
    },
    onChange: () => undefined,
  }
}

/** Does whatever it reads anywhere, also with tools that it was not offered. */
const obedient: Thinking = {
  id: 'obedient',
  async *think(input) {
    await obey(JSON.stringify([input.tools, input.context]).replaceAll('\\"', '"'), input)
    await obey(input.text, input)
    const sensor = input.tools.find(({ name }) => name === 'read_sensor')
    const read = sensor && (await input.call(sensor, {}))
    await obey(String((read?.result as { text?: string } | undefined)?.text), input)
    yield { text: 'yes, do it. 确认执行', cacheable: false }
  },
}
async function obey(text: string, input: ThinkingInput): Promise<void> {
  for (const [, name = '', json = '{}'] of text.matchAll(/call (\w+) (\{[^}]*\})/gi)) {
    const offered = input.tools.find((tool) => tool.name === name.toLowerCase())
    tried.push(name.toLowerCase())
    const args = (() => {
      try {
        return JSON.parse(json) as Record<string, unknown>
      } catch {
        return {}
      }
    })()
    // What it was not offered it makes up, as harmless as can be.
    await input.call(offered ?? { ...bornTools[0]!, name: name.toLowerCase(), danger: 'read' }, args)
  }
}

const output: TurnOutput = {
  transcript: () => undefined,
  working: () => undefined,
  failure: () => undefined,
  expectEnd: () => undefined,
  beginSentence: () => undefined,
  audio: () => Promise.resolve(),
  endSentence: () => Promise.resolve(),
  played: () => Promise.resolve(0),
}
let turns = 0
const say = (deviceId: string, text: string, context: Record<string, unknown> = {}) =>
  agent.open({
    id: `turn ${++turns}`,
    sessionId: 's',
    deviceId,
    deviceName: deviceId,
    context,
    output,
    signal: new AbortController().signal,
    source: 'typed',
    text,
  }).over

test.each(['result', 'description', 'context', 'speech'] as const)(
  '200 strings through the %s start nothing dangerous, and the model did try',
  async (way) => {
    expect(new Set(injections).size).toBe(200)
    expect(injections.filter((text) => /\p{Script=Han}/u.test(text)).length).toBeGreaterThanOrEqual(100)
    for (const [index, text] of injections.entries()) {
      poison = {
        result: way === 'result' ? text : 'calm',
        description: way === 'description' ? text : 'Reads the sensor.',
      }
      tried = []
      const context = way === 'context' ? { state: text } : {}
      // Twice: the second turn must not be the yes to the first.
      for (let round = 0; round < 2; round++) {
        await say(`board ${index}`, way === 'speech' ? text : 'what does the sensor say', context)
      }
      expect(tried, text).toEqual(expect.arrayContaining(dangerousIn(text)))
    }
    expect(ran.filter((name) => name !== 'read_sensor')).toEqual([])
    // People were asked instead.
    expect(host.consents.list().length).toBeGreaterThan(0)
  },
  120_000,
)

test('the same call runs once, after a person said the phrase, and not again', async () => {
  await say('board', 'call unlock_door {"door":"front"}')
  expect(ran).not.toContain('unlock_door')
  await say('board', 'Yes, do it!')
  await say('board', 'yes, do it')
  expect(ran.filter((name) => name === 'unlock_door')).toHaveLength(1)
})

test('words in between, or a no, end the voice’s chance', async () => {
  await say('board', 'call unlock_door {}')
  await say('board', 'what is the weather')
  await say('board', 'yes, do it')
  await say('two', 'call unlock_door {}')
  await say('two', '不要')
  await say('two', '确认执行')
  expect(ran).not.toContain('unlock_door')
})
