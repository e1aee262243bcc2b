import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import type { EntryName } from './entries.ts'
import { createForkLauncher } from './launcher.ts'

async function priorityOf(entry: EntryName): Promise<number> {
  const child = await createForkLauncher().launch(entry)
  try {
    return getPriority(child.pid ?? NaN)
  } finally {
    child.kill(true)
  }
}

test('a process that flashes steps back behind the conversation', async () => {
  expect(await priorityOf('flasher')).toBeGreaterThan(getPriority())
})

test('a process that listens or speaks runs like the server itself', async () => {
  expect(await priorityOf('tts')).toBe(getPriority())
})
