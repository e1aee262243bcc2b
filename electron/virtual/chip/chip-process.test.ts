import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createForkLauncher } from '../../base/launcher.ts'
import type { ChipProcessReply, ChipProcessRequest } from './chip-process.ts'

async function launch() {
  const child = await createForkLauncher({ PATH: process.execPath }).launch('chip')
  const replies: ChipProcessReply[] = []
  // The child is our own build.
  child.onMessage((message) => void replies.push(message as ChipProcessReply))
  const exit = Promise.withResolvers<number | null>()
  child.onExit(({ code }) => exit.resolve(code))
  return { replies, exit: exit.promise, ask: (request: ChipProcessRequest) => child.post(request) }
}

test.runIf(process.platform === 'linux')(
  'a chip in a process of its own says where it is, what happens, and stops',
  async () => {
    const { replies, exit, ask } = await launch()
    ask({ type: 'start', options: { flash: '1MB', faults: ['noise'] } })
    await expect.poll(() => replies.find(({ type }) => type === 'ready'), { timeout: 10_000 }).toBeDefined()
    const ready = replies.find((reply) => reply.type === 'ready')
    expect(existsSync(ready?.port ?? '')).toBe(true)
    ask({ type: 'reset' })
    await expect.poll(() => replies).toContainEqual({ type: 'event', event: { event: 'boot', mode: 'loop' } })
    ask({ type: 'stop' })
    expect(await exit).toBe(0)
  },
)

test('a chip that cannot be made says why and ends', async () => {
  const { replies, exit, ask } = await launch()
  ask({ type: 'start', options: { flash: '5MB' } })
  expect(await exit).toBe(1)
  expect(replies).toEqual([expect.objectContaining({ type: 'failed', code: 'server-bad-usage' })])
})
