import { expect } from 'vitest'
import { enrol, post, provision } from './foreign-client.ts'
import { type RoostProcess, serveRoost } from './roost-process.ts'
import { freshDir, rpcOf, startBoard } from './roost-server.ts'

/** What answers have promised: every entry was acknowledged before the kill. */
interface Kept {
  readonly tokens: { id: string; token: string }[]
  readonly names: Map<string, string>
  readonly revoked: { id: string; token: string }[]
  readonly samples: { device: string; at: number; value: number }[]
}

/**
 * Enrols, renames, revokes and reports; kills in the moment in which the report number `killAt` was acknowledged, when
 * nothing has had time to follow it.
 */
function loadOf(server: RoostProcess, round: number, killAt: number) {
  const kept: Kept = { tokens: [], names: new Map(), revoked: [], samples: [] }
  async function work(): Promise<void> {
    const client = await rpcOf(server.dataDir)
    const device = `reporter-${round}`
    const reporter = await enrol(server, device)
    for (let n = 0; n <= killAt; n += 1) {
      const id = `kill-${round}-${n}`
      const { token } = await enrol(server, id)
      kept.tokens.push({ id, token })
      await client.fleet.rename({ deviceId: id, name: `Name ${n}` })
      kept.names.set(id, `Name ${n}`)
      if (n % 3 === 0) {
        await client.fleet.revoke({ deviceId: id })
        kept.revoked.push({ id, token })
      }
      const at = Date.now()
      const { status } = await post(server, '/telemetry', {
        body: JSON.stringify({ ts: at, metrics: { uptime_s: n } }),
        headers: { Authorization: `Bearer ${reporter.token}` },
      })
      if (n === killAt) process.kill(server.pid, 'SIGKILL')
      if (status === 202) kept.samples.push({ device, at, value: n })
    }
  }
  return { kept, done: work() }
}

/** Everything promised that the server no longer knows. */
async function lostOf(server: RoostProcess, kept: Kept): Promise<string[]> {
  const lost: string[] = []
  const client = await rpcOf(server.dataDir)
  const names = new Map<string, string>()
  for await (const event of await client.fleet.watch()) {
    if (event.type === 'snapshot') for (const { id, name } of event.devices) names.set(id, name)
    break
  }
  for (const [id, name] of kept.names) if (names.get(id) !== name) lost.push(`name of ${id}`)
  const isRevoked = new Set(kept.revoked.map(({ token }) => token))
  for (const { id, token } of kept.tokens) {
    const { status } = await provision(server, { device_id: id }, { Authorization: `Bearer ${token}` })
    if (status !== (isRevoked.has(token) ? 202 : 200) && !isRevoked.has(token)) lost.push(`token of ${id}: ${status}`)
    if (isRevoked.has(token) && status === 200) lost.push(`revocation of ${id}`)
  }
  const from = Math.min(...kept.samples.map(({ at }) => at))
  const [series] = await client.telemetry.series({
    deviceIds: [kept.samples[0]?.device ?? 'none'],
    metric: 'uptime_s',
    from: Number.isFinite(from) ? from - 1 : 0,
    to: Date.now() + 1_000,
    columns: 2_000,
  })
  const counted = series?.columns.reduce((sum, { count }) => sum + count, 0) ?? 0
  if (counted < kept.samples.length) lost.push(`${kept.samples.length - counted} samples`)
  return lost
}

/** Kills a loaded server without warning again and again; a board stays connected over all of it by itself. */
export async function killAndRestart({ kills, random }: { kills: number; random: () => number }) {
  const dataDir = await freshDir()
  let server = await serveRoost(dataDir)
  const { https, loopback } = server.ports
  const board = startBoard(server, { deviceId: 'survivor' })
  const lost: string[] = []
  let unclean = 0
  try {
    await board.online
    for (let round = 0; round < kills; round += 1) {
      const load = loadOf(server, round, 3 + Math.floor(random() * 12))
      await load.done
      await server.ended
      const before = board.of('session').length
      server = await serveRoost(dataDir, { https, loopback })
      const overview = await (await rpcOf(dataDir)).server.overview()
      if (overview.lastStop === 'unclean') unclean += 1
      expect(server.err.join('')).toContain('checked after an unclean stop')
      lost.push(...(await lostOf(server, load.kept)))
      await expect.poll(() => board.of('session').length, { timeout: 70_000 }).toBeGreaterThan(before)
    }
  } finally {
    await board.stop()
  }
  return { lost, unclean }
}
