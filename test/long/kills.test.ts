import { expect, test } from 'vitest'
import { killAndRestart } from '../support/kill-rounds.ts'

test('two hundred kills at random moments lose nothing that was acknowledged', async () => {
  expect(await killAndRestart({ kills: 200, random: Math.random })).toEqual({ lost: [], unclean: 200 })
})
