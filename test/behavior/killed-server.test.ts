import { expect, test } from 'vitest'
import { createRandom } from '../support/audio-signals.ts'
import { killAndRestart } from '../support/kill-rounds.ts'

test(
  'a server that is killed loses nothing it acknowledged, says so, and its boards come back by themselves',
  { timeout: 180_000 },
  async () => {
    expect(await killAndRestart({ kills: 3, random: createRandom(3) })).toEqual({ lost: [], unclean: 3 })
  },
)
