import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveRoost } from '../support/roost-process.ts'
import { enrol } from '../support/foreign-client.ts'
import { freshDir } from '../support/roost-server.ts'

async function modesIn(dir: string): Promise<Map<string, string>> {
  const modes = new Map<string, string>()
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const info = await stat(path).catch(() => undefined)
    if (info) modes.set(path.slice(dir.length + 1), (info.mode & 0o777).toString(8))
  }
  return modes
}

test('under a careless umask every folder of the data directory is 0700 and every file 0600', async () => {
  const old = process.umask(0)
  try {
    const dataDir = join(await freshDir(), 'made-by-the-server')
    const server = await serveRoost(dataDir)
    await enrol(server, 'mode-1')
    const modes = await modesIn(dataDir)
    expect([...modes.keys()]).toEqual(expect.arrayContaining(['roost.db', 'history.db', 'run.json', 'tls/ca-key.pem']))
    const loose = [...modes].filter(([, mode]) => mode !== '600' && mode !== '700')
    expect(loose).toEqual([])
    expect(((await stat(dataDir)).mode & 0o777).toString(8)).toBe('700')
  } finally {
    process.umask(old)
  }
})
