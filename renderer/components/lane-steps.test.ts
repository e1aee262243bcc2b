import { expect, test } from 'vitest'
import { laneEtaMs, laneFraction, laneSteps } from './lane-steps.ts'

const states = (phase: 'write' | 'hello', result: 'proved' | 'written' | 'failed' | null) =>
  Object.fromEntries(laneSteps({ phase, result }).map((step) => [step.phase, step.state]))

test('steps before the present one are done and later ones lie ahead', () => {
  expect(states('write', null)).toMatchObject({
    detect: 'done',
    erase: 'done',
    write: 'now',
    verify: 'ahead',
    hello: 'ahead',
  })
})

test('a lane fails at the step it was in', () => {
  expect(states('write', 'failed')).toMatchObject({ erase: 'done', write: 'failed', verify: 'ahead' })
})

test('only a proved lane shows the last step as done', () => {
  expect(states('hello', null).hello).toBe('now')
  expect(states('hello', 'proved').hello).toBe('done')
  expect(states('write', 'written')).toMatchObject({ verify: 'done', provision: 'skipped', hello: 'skipped' })
})

test('the time left is not guessed without a speed', () => {
  const lane = { phase: 'write', result: null, bytesDone: 500, bytesTotal: 1_000, bytesPerSecond: null } as const

  expect(laneEtaMs(lane)).toBeNull()
  expect(laneEtaMs({ ...lane, bytesPerSecond: 250 })).toBe(2_000)
  expect(laneEtaMs({ ...lane, bytesPerSecond: 250, result: 'failed' })).toBeNull()
  expect(laneFraction(lane)).toBe(0.5)
  expect(laneFraction({ bytesDone: 0, bytesTotal: 0 })).toBeNull()
})
