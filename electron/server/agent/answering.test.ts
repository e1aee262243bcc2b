import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createScriptedEngines } from '../../../test/support/scripted-engines.ts'
import { silentLog } from '../../base/log.ts'
import { bornTools } from '../../contract/born-tools.ts'
import type { ToolCall, ToolVersion } from '../../contract/tool.ts'
import type { ToolHost } from '../tools/tool-host.ts'
import { answerText } from './answering.ts'
import type { Hearing, Thinking } from './providers.ts'
import { beginTurn } from './running-turn.ts'
import { listenTurn } from './listening.ts'
import { createRuleThinking } from './thinking/rule-thinking.ts'
import type { TurnOutput } from './turn-output.ts'
import { createTurnRecorder } from './turn-recorder.ts'

interface Scene {
  readonly thinking?: Thinking
  readonly outcome?: ToolCall['outcome']
  readonly errorCode?: string
  readonly withheld?: () => Promise<ToolVersion[]>
  readonly hearing?: Hearing
}

function scene({ thinking, outcome = 'ok', errorCode, withheld = async () => [], hearing }: Scene) {
  const clock = createManualClock()
  const engines = createScriptedEngines({ voice: 'missing' })
  const tools = {
    vocabulary: async () => bornTools.filter(({ name }) => name !== 'set_lamp'),
    withheld,
    callTool: async ({ name, arguments: args }: Parameters<ToolHost['callTool']>[0]) =>
      ({ ref: `${name}@1`, arguments: { ...args }, outcome, errorCode, startedAt: 0, endedAt: 0 }) as ToolCall,
    consents: { heard: () => undefined, list: () => [] } as unknown as ToolHost['consents'],
  }
  const options = {
    name: 'A',
    language: 'en',
    hearing: hearing ?? engines.hearing,
    speaking: engines.speaking,
    thinking: thinking ?? createRuleThinking(),
    tools,
    recorder: createTurnRecorder({ store: { put: () => Promise.resolve() }, clock, log: silentLog }),
    clock,
    log: silentLog,
  } as const
  const nothing = () => undefined
  const output: TurnOutput = {
    transcript: nothing,
    working: nothing,
    failure: nothing,
    expectEnd: nothing,
    beginSentence: nothing,
    audio: async () => undefined,
    endSentence: async () => undefined,
    played: async () => 0,
  }
  const signal = new AbortController().signal
  const ids = { id: 't', sessionId: 's', deviceId: 'd', deviceName: 'Board' }
  const begin = (source: 'voice' | 'typed') => beginTurn({ ...ids, context: {}, output, signal }, { source }, options)
  async function said(text: string) {
    const turn = begin('typed')
    await answerText(turn, text, options)
    await turn.speech.end()
    return turn.record.turn
  }
  return { said, begin, options }
}

const lamp = bornTools.filter(({ name }) => name === 'set_lamp')

test('what a rule leaves out is refused aloud, and the turn shows the call', async () => {
  const { said } = scene({ outcome: 'refused', errorCode: 'tool-withheld', withheld: async () => lamp })
  const turn = await said('turn on the lamp')
  expect(turn).toMatchObject({
    replyText: 'That is not allowed right now.',
    calls: [{ ref: 'set_lamp@1', outcome: 'refused', errorCode: 'tool-withheld' }],
  })
  expect(turn.toolsOffered).not.toContain('set_lamp@1')
})

test('rules that cannot be read forbid nothing and stop no turn', async () => {
  const { said } = scene({ withheld: async () => Promise.reject(new Error('gone')) })
  expect((await said('turn on the fan')).replyText).toBe('Okay, the fan is on.')
  expect((await said('the moon is made of cheese')).replyText).toBe('Sorry, I did not understand that.')
})

test('a thinker that says nothing is spoken for by what its calls came to', async () => {
  const silent: Thinking = {
    id: 'silent',
    async *think(input) {
      if (input.text === 'act') await input.call(input.tools[0]!, {})
      yield* []
    },
  }
  const replyAfter = async (outcome: ToolCall['outcome'], text = 'act') =>
    (await scene({ thinking: silent, outcome }).said(text)).replyText
  expect(await replyAfter('ok')).toBe('Okay, done.')
  expect(await replyAfter('failed')).toBe('The board could not do that.')
  expect(await replyAfter('refused')).toBe('That is not allowed right now.')
  expect(await replyAfter('ok', 'nothing')).toBe('Sorry, I did not understand that.')
})

test('a recogniser hears what is forbidden too, after what is offered', async () => {
  const heard = Promise.withResolvers<readonly ToolVersion[]>()
  const engines = createScriptedEngines()
  const hearing: Hearing = {
    ...engines.hearing,
    open(order) {
      heard.resolve(order.vocabulary)
      return engines.hearing.open(order)
    },
  }
  const { begin, options } = scene({ withheld: async () => lamp, hearing })
  listenTurn(begin('voice'), options, async () => undefined)
  const names = (await heard.promise).map(({ name }) => name)
  expect(names.at(-1)).toBe('set_lamp')
  expect(names.length).toBe(bornTools.length)
})
