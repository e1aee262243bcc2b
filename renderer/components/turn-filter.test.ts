import { expect, test } from 'vitest'
import { isFiltered, noTurnFilter, turnFilterFromQuery, turnFilterToQuery, turnMatches } from './turn-filter.ts'

const turn = {
  deviceId: 'a',
  status: 'done',
  source: 'typed',
  userText: '打开灯',
  replyText: 'The lamp is on.',
  replyMs: 900,
  calls: [{ ref: 'set_lamp@2' }],
  toolsOffered: ['set_lamp@2', 'read_temperature@1'],
} as const

test('a filter survives the address', () => {
  const filter = {
    text: '灯',
    deviceId: 'aa:bb',
    status: 'failed',
    kind: 'reminder',
    withTools: true,
    slow: true,
    toolRef: 'set_lamp@2',
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
  expect(turnMatches(turn, { ...noTurnFilter, toolRef: 'read_temperature@1' })).toBe(true)
  expect(turnMatches(turn, { ...noTurnFilter, toolRef: 'set_lamp@1' })).toBe(false)
  expect(turnMatches({ ...turn, calls: [] }, { ...noTurnFilter, withTools: true })).toBe(false)
})

test('what a board said by itself is filtered by its kind', () => {
  const rung = {
    ...turn,
    source: 'announcement',
    announced: { kind: 'alarm', by: { kind: 'clock', name: '' } },
  } as const
  expect(turnMatches(rung, { ...noTurnFilter, kind: 'alarm' })).toBe(true)
  expect(turnMatches(rung, { ...noTurnFilter, kind: 'talk' })).toBe(false)
  expect(turnMatches(turn, { ...noTurnFilter, kind: 'talk' })).toBe(true)
  // Kept by an older server.
  expect(turnMatches({ ...turn, source: 'announcement' }, { ...noTurnFilter, kind: 'announcement' })).toBe(true)
})
