import { expect, test } from 'vitest'
import type { Turn } from '../../electron/contract/conversation.ts'
import { freshDir, startRoost } from '../support/roost-server.ts'
import { runRoost } from '../support/roost-process.ts'
import { startUartEnd } from '../support/uart-ends.ts'

// The lesson's air conditioner is spoken to as a person would, and what is said of it has happened.

const wanted = [
  ['turn on the air conditioner', 'ACSwitch', { enabled: true }, 'Okay, the air conditioner is on.'],
  ['把空调调到二十三度', 'ACTemperature', { temperature: 23 }, '好的，空调温度是23度。'],
  ['what is the air conditioner temperature', 'ACTemperature', {}, 'The air conditioner temperature is 23 degrees.'],
  ['set the fan speed to 3', 'ACFanSpeed', { speed: 3 }, 'Okay, the air conditioner fan speed is 3.'],
  ['把空调调成制热模式', 'ACMode', { mode: 'heat' }, '好的，空调模式是制热。'],
  ['关闭空调', 'ACSwitch', { enabled: false }, '好的，空调关了。'],
] as const

test('what is said to a microcontroller is done by it, in both languages', { timeout: 240_000 }, async () => {
  const dataDir = await freshDir()
  const roost = await startRoost({ dataDir })
  const board = roost.board({ deviceId: 'desk' })
  await board.online
  const client = await roost.rpc()
  const mcu = await startUartEnd('mcu')
  const bridge = runRoost(['uart', 'bridge', '--port', mcu.port, '--data', dataDir])
  await bridge.line((line) => line['ready'] === true)
  const offered = async () => (await client.tools.ofDevice({ deviceId: 'desk' })).filter((row) => row.source === 'uart')
  await expect.poll(async () => (await offered()).length, { timeout: 20_000 }).toBe(4)

  const say = async (text: string): Promise<Turn> => {
    const run = runRoost(['say', text, '--device', 'desk', '--json', '--data', dataDir])
    await run.ended
    return JSON.parse(run.out.join('')) as Turn
  }
  const calls = () => mcu.events().filter(({ event }) => event === 'call')
  for (const [text, name, args, reply] of wanted) {
    const turn = await say(text)
    expect({ text, reply: turn.replyText, outcomes: turn.calls.map(({ outcome }) => outcome) }).toEqual({
      text,
      reply,
      outcomes: ['ok'],
    })
    expect(calls().at(-1)).toMatchObject({ name, arguments: args })
  }

  const done = calls().length
  expect((await say('set the temperature to 99 degrees')).replyText).toBe('I can only set 16 to 30 degrees.')
  expect((await say('空调温度调到九十九度')).replyText).toBe('只能设 16 到 30 度。')
  expect((await say('turn on the air conditioner in the moon')).replyText).toBe('Sorry, I did not understand that.')
  await client.policies.put({ scope: 'device', id: 'desk', mode: 'listed', allowed: ['ACTemperature'], pins: {} })
  const forbidden = await say('turn on the air conditioner')
  expect(forbidden).toMatchObject({
    replyText: 'That is not allowed right now.',
    calls: [{ outcome: 'refused', errorCode: 'tool-withheld', arguments: { enabled: true } }],
  })
  expect((await say('打开空调')).replyText).toBe('现在不允许这样做。')
  expect(calls()).toHaveLength(done)
})
