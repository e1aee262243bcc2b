import { expect, test } from 'vitest'
import { isFiltered, noTurnFilter, turnFilterFromQuery, turnFilterToQuery, turnMatches } from './turn-filter.ts'

const turn = {
  deviceId: 'a',
  status: 'done',
  userText: '打开灯',
  replyText: 'The lamp is on.',
  replyMs: 900,
  calls: [{ ref: 'set_lamp@2' }],
  toolsOffered: ['set_lamp@2', 'set_fan@1'],
}

test('a filter survives the address', () => {
  const filter = {
    text: '灯',
    deviceId: 'aa:bb',
    status: 'failed',
    withTools: true,
    slow: true,
    toolRef: 'a@1',
  } as const

  expect(turnFilterFromQuery(turnFilterToQuery(filter))).toEqual(filter)
})

test('an empty filter leaves no trace in the address', () => {
  expect(turnFilterToQuery(noTurnFilter)).toEqual({})
  expect(isFiltered(noTurnFilter)).toBe(false)
})

test('nonsense in an address filters nothing', () => {
  expect(turnFilterFromQuery({ status: 'exploded', board: ['x'], tools: 'yes' })).toEqual(noTurnFilter)
})

test('a live turn is judged by the same rule as a stored one', () => {
  expect(turnMatches(turn, { ...noTurnFilter, text: 'LAMP' })).toBe(true)
  expect(turnMatches(turn, { ...noTurnFilter, text: '温度' })).toBe(false)
  expect(turnMatches(turn, { ...noTurnFilter, deviceId: 'b' })).toBe(false)
  expect(turnMatches(turn, { ...noTurnFilter, slow: true })).toBe(false)
  expect(turnMatches({ ...turn, replyMs: null }, { ...noTurnFilter, slow: true })).toBe(false)
  expect(turnMatches({ ...turn, calls: [] }, { ...noTurnFilter, withTools: true })).toBe(false)
  expect(turnMatches(turn, { ...noTurnFilter, toolRef: 'set_fan@1' })).toBe(true)
  expect(turnMatches(turn, { ...noTurnFilter, toolRef: 'set_lamp@1' })).toBe(false)
})
