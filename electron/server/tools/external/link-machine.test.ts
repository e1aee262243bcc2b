import { expect, test } from 'vitest'
import { type LinkInput, type LinkState, stepLink } from './link-machine.ts'

const trouble = { code: 'mcp-stopped', message: 'it ended' } as const
const lost = (now: number, fatal = false): LinkInput => ({ type: 'lost', now, trouble, fatal })

function fold(inputs: readonly LinkInput[], from: LinkState = { at: 'off' }): LinkState[] {
  const states = [from]
  for (const input of inputs) states.push(stepLink(states.at(-1) ?? from, input)[0])
  return states
}

test('each loss in a row waits twice as long, and the eighth is the last', () => {
  const rounds = Array.from({ length: 8 }, () => [lost(0), { type: 'wake' } as const]).flat()
  const states = fold([{ type: 'enable' }, ...rounds])
  const waits = states.flatMap((state) => (state.at === 'waiting' ? [state.retryAt] : []))
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000])
  expect(states.at(-1)).toEqual({ at: 'failed', trouble })
})

test('a server that stood for a minute is trusted as a new one', () => {
  const states = fold([{ type: 'enable' }, lost(0), { type: 'wake' }, { type: 'connected', now: 5_000 }, lost(65_000)])
  expect(states.at(-1)).toEqual({ at: 'waiting', losses: 1, retryAt: 66_000, trouble })
})

test('a crash right after it was ready counts with those before', () => {
  const states = fold([{ type: 'enable' }, lost(0), { type: 'wake' }, { type: 'connected', now: 2_000 }, lost(2_100)])
  expect(states.at(-1)).toEqual({ at: 'waiting', losses: 2, retryAt: 4_100, trouble })
})

test('a fatal loss is not tried again until a person says so', () => {
  const [, starting, failed, still, again] = fold([
    { type: 'enable' },
    lost(0, true),
    { type: 'wake' },
    { type: 'enable' },
  ])
  expect([starting?.at, failed?.at, still?.at, again?.at]).toEqual(['starting', 'failed', 'failed', 'starting'])
})

test('a late loss or wake after switching off changes nothing', () => {
  const states = fold([
    { type: 'enable' },
    { type: 'disable' },
    lost(1),
    { type: 'wake' },
    { type: 'connected', now: 2 },
  ])
  expect(states.slice(2).map(({ at }) => at)).toEqual(['off', 'off', 'off', 'off'])
  expect(stepLink({ at: 'starting', losses: 0 }, { type: 'disable' })).toEqual([{ at: 'off' }, { do: 'close' }])
})
