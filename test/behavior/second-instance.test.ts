import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { runRoost, serveRoost } from '../support/roost-process.ts'
import { freshDir, rpcOf } from '../support/roost-server.ts'

test('a second server of one data directory refuses, naming the process, and leaves the first alone', async () => {
  const dataDir = await freshDir()
  const first = await serveRoost(dataDir)
  const second = runRoost(['serve', '--data', dataDir, '--host', '127.0.0.1', '--port', '0', '--loopback-port', '0'])
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.out).toEqual([])
  const said = second.err.join('')
  expect(said).toContain('server-already-running')
  expect(said).toContain(`Process ${first.pid}`)
  expect(await (await rpcOf(dataDir)).server.overview()).toMatchObject({ lastStop: 'first-start' })
})

test.each([
  ['--port', '--loopback-port'],
  ['--loopback-port', '--port'],
])('a taken %s is an error that names its holder, never another port', async (taken, free) => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  const dataDir = await freshDir()
  const late = runRoost(['serve', '--data', dataDir, '--host', '127.0.0.1', taken, String(port), free, '0'])
  expect(await late.ended).toEqual({ code: 1, signal: null })
  expect(late.out).toEqual([])
  const said = late.err.join('')
  expect(said).toContain('server-port-taken')
  expect(said).toContain(`Port ${port}`)
  expect(said).toMatch(new RegExp(`\\(pid ${process.pid}\\)`))
})
