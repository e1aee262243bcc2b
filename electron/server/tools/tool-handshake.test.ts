import { beforeEach, expect, test } from 'vitest'
import { AppError } from '../../base/app-error.ts'
import { createLog } from '../../base/log.ts'
import type { ToolChannel } from './tool-channel.ts'
import { createBoardAsker } from './tool-handshake.ts'

const logged: string[] = []
beforeEach(() => void logged.splice(0))
const log = createLog({ target: { write: (line) => void logged.push(line) } })
const ask = createBoardAsker({ version: '1', log })

const good = { tools: ['set_lamp'], audio: { speaker: true }, features: { camera: false } }

/** A board without an MCP server that answers each scope of `declare_capabilities`. */
function boardThatSays(answers: (scope: string) => Readonly<Record<string, unknown>>) {
  const scopes: string[] = []
  const channel: ToolChannel = {
    notify: () => undefined,
    close: () => undefined,
    request(method, params) {
      if (method !== 'tools/call') return Promise.reject(new AppError('tool-failed', 'no such method'))
      const { scope } = (params as { arguments: { scope: string } }).arguments
      scopes.push(scope)
      return Promise.resolve(answers(scope))
    },
  }
  return { channel, scopes }
}

const leftOut = () =>
  logged.map((line) => JSON.parse(line) as { msg: string }).filter(({ msg }) => msg.startsWith('part of the'))

test.each([
  ['audio', 'loud'],
  ['audio', null],
  ['audio', ['opus']],
  ['features', ['camera']],
  ['features', 7],
] as const)(
  'a malformed part of the capabilities (%s: %o) costs only itself, and is told with a code',
  async (part, wrong) => {
    const { channel, scopes } = boardThatSays(() => ({ ...good, [part]: wrong }))
    expect(await ask(channel)).toEqual({
      mcp: false,
      listed: [],
      declared: ['set_lamp'],
      audio: good.audio,
      features: good.features,
      [part]: undefined,
    })
    expect(leftOut()).toMatchObject([{ level: 'warn', code: 'tool-bad-result', part }])
    // What can be used is used: nothing is asked a second time.
    expect(scopes).toEqual(['all'])
  },
)

test('whole capabilities, and those without optional parts, are taken without a word', async () => {
  expect(await ask(boardThatSays(() => good).channel)).toMatchObject({ declared: ['set_lamp'], audio: good.audio })
  expect(await ask(boardThatSays(() => ({ tools: [] })).channel)).toMatchObject({ declared: [], audio: undefined })
  expect(logged).toEqual([])
})

test('an answer without a list of tools in its place is told, and narrower scopes are asked', async () => {
  const { channel, scopes } = boardThatSays((scope) => ({ tools: scope === 'tools' ? ['set_lamp'] : 'set_lamp' }))
  expect(await ask(channel)).toMatchObject({ declared: ['set_lamp'] })
  expect(scopes).toEqual(['all', 'tools', 'audio'])
  expect(leftOut()).toMatchObject([{ part: 'tools' }, { part: 'tools' }])
})
