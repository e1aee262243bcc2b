import { expect, test } from 'vitest'
import { createDisposer } from './disposer.ts'

test('closes in reverse order, one after the other', async () => {
  const done: string[] = []
  const disposer = createDisposer()
  disposer.add(() => void done.push('store'))
  disposer.add(async () => {
    await Promise.resolve()
    done.push('sockets')
  })
  await disposer.close()
  await disposer.close()
  expect(done).toEqual(['sockets', 'store'])
})

test('what goes aside is begun in its place and holds up nobody, but the end waits for it', async () => {
  const done: string[] = []
  const child = Promise.withResolvers<undefined>()
  const disposer = createDisposer()
  disposer.add(() => void done.push('store'))
  disposer.addAside(async () => {
    done.push('child told')
    await child.promise
    done.push('child gone')
  })
  disposer.add(() => void done.push('sockets'))
  let ended = false
  const closed = disposer.close().then(() => (ended = true))
  await expect.poll(() => done).toEqual(['sockets', 'child told', 'store'])
  expect(ended).toBe(false)
  child.resolve(undefined)
  await closed
  expect(done.at(-1)).toBe('child gone')
})

test('every one is tried, and the first failure is told at the end', async () => {
  const done: string[] = []
  const disposer = createDisposer()
  disposer.add(() => void done.push('store'))
  disposer.addAside(() => Promise.reject(new Error('aside')))
  disposer.add(() => {
    throw new Error('first')
  })
  await expect(disposer.close()).rejects.toThrow('first')
  expect(done).toEqual(['store'])
})
