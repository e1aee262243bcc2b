import { expect, test } from 'vitest'
import { type Input, type LaneWishes, type State, initialState, refusal, step } from './lane-machine.ts'

const board = { chip: 'ESP32-S3', revision: 'v0.2', mac: 'a', flashSize: 1, flashId: '1840c8', psram: null }
const security = { flags: 0, cryptCount: 0, chipId: 9 }
const start: Input[] = [
  { type: 'opened' },
  { type: 'connected', security, chip: 'ESP32-S3' },
  { type: 'described', board },
  { type: 'settled' },
]
const planned: Input = { type: 'planned', eraseAll: false }
const wishes: LaneWishes = { verify: true, awaitBoard: false }
const failed = (code: 'flash-rebooted' | 'flash-timeout'): Input => ({
  type: 'failed',
  failure: { code, message: code },
})

function fold(inputs: readonly Input[], wish = wishes): State {
  return inputs.reduce<State>((state, input) => step(state, input, wish)[0], initialState)
}

test('a lane goes from its port to a written board', () => {
  const written: Input[] = [{ type: 'written' }, { type: 'verified' }, { type: 'restarted' }]
  const end = fold([...start, planned, ...written, { type: 'booted', trouble: null }])
  expect(end).toEqual({ at: 'done', result: 'written', failure: null })
})

test('with a server the board is proved only when it was heard', () => {
  const wish = { verify: false, awaitBoard: true }
  const booted: Input[] = [
    ...start,
    planned,
    { type: 'written' },
    { type: 'restarted' },
    { type: 'booted', trouble: null },
  ]
  expect(fold(booted, wish).at).toBe('provision')
  expect(fold([...booted, { type: 'provisioned' }], wish).at).toBe('hello')
  expect(fold([...booted, { type: 'provisioned' }, { type: 'heard' }], wish)).toMatchObject({ result: 'proved' })
  const failure = { code: 'flash-not-proved', message: 'late' } as const
  expect(fold([...booted, { type: 'expired', failure }], wish)).toEqual({ at: 'done', result: 'written', failure })
})

test('erasing everything comes between plan and write', () => {
  const [state, effect] = step({ at: 'compare', restarts: 0 }, { type: 'planned', eraseAll: true }, wishes)
  expect([state.at, effect]).toEqual(['erase', { do: 'erase' }])
})

test('a restart of the board is forgiven once', () => {
  const once = fold([...start, planned, failed('flash-rebooted')])
  expect(once).toEqual({ at: 'detect', restarts: 1 })
  const twice = fold([
    ...start,
    planned,
    failed('flash-rebooted'),
    ...start.slice(1),
    planned,
    failed('flash-rebooted'),
  ])
  expect(twice).toMatchObject({ at: 'leaving', failure: { code: 'flash-rebooted' } })
})

test('a failure before the flash is whole fails the lane after the board was left', () => {
  const leaving = fold([...start, planned, failed('flash-timeout')])
  expect(leaving.at).toBe('leaving')
  expect(step(leaving, { type: 'left' }, wishes)[0]).toMatchObject({ at: 'done', result: 'failed' })
})

test('an input that means nothing now changes nothing', () => {
  for (const input of [{ type: 'heard' }, { type: 'left' }, { type: 'erased' }] satisfies Input[]) {
    expect(step(initialState, input, wishes)).toEqual([initialState])
  }
  const done: State = { at: 'done', result: 'written', failure: null }
  expect(step(done, failed('flash-timeout'), wishes)).toEqual([done])
})

test('secured, encrypted and foreign chips are refused, an even crypt count is not', () => {
  const code = (more: Partial<typeof security>) => refusal({ ...security, ...more }, 'ESP32-S3')?.code
  expect(code({ flags: 1 })).toBe('flash-secure-boot')
  expect(code({ flags: 4 })).toBe('flash-secure-download')
  expect(code({ cryptCount: 1 })).toBe('flash-encrypted')
  expect(code({ cryptCount: 7 })).toBe('flash-encrypted')
  expect(code({ cryptCount: 3 })).toBeUndefined()
  expect(code({ chipId: 5 })).toBe('flash-wrong-chip')
  expect(refusal(null, 'ESP32')?.message).toContain('ESP32')
})
