import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshDir, startRoost } from '../support/roost-server.ts'
import { runRoost } from '../support/roost-process.ts'

// The tools and Things of a running server from a shell (contracts §1).

async function house() {
  const dataDir = await freshDir()
  const roost = await startRoost({ dataDir })
  const board = roost.board({ deviceId: 'desk' })
  await board.online
  const shell = async (...args: string[]) => {
    const run = runRoost([...args, '--data', dataDir])
    const { code } = await run.ended
    return { code, out: run.out.join('\n'), err: run.err.join('') }
  }
  return { dataDir, rpc: await roost.rpc(), shell }
}

test('tools are listed, exported, taken in as drafts and called from a shell', { timeout: 200_000 }, async () => {
  const { dataDir, rpc, shell } = await house()
  const listed = await shell('tools', 'list', 'lamp')
  expect(listed).toMatchObject({ code: 0, err: '' })
  expect(listed.out).toMatch(/^set_lamp@1 +born, harmless/m)

  const { out: exported } = await shell('tools', 'export', 'set_lamp')
  const file = join(dataDir, 'lamp.json')
  await writeFile(file, exported.replaceAll('"set_lamp"', '"other_lamp"'))
  expect(await shell('tools', 'import', file)).toMatchObject({ code: 0, out: 'other_lamp: draft saved' })
  const { drafts, versions } = await rpc.tools.detail({ name: 'other_lamp' })
  expect([drafts.length, versions.length]).toEqual([1, 0])
  const { versions: lamp } = await rpc.tools.detail({ name: 'set_lamp' })
  expect(drafts[0]?.content.arguments).toEqual(lamp[0]?.arguments)

  const called = await shell('tools', 'call', 'set_lamp', '{"on":true}', '--device', 'desk')
  expect(called).toMatchObject({ code: 0 })
  expect(called.out).toMatch(/^set_lamp@1 ok /)
  const refused = await shell('tools', 'call', 'set_lamp', '{"on":"maybe"}', '--device', 'desk', '--json')
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.out)).toMatchObject({ outcome: 'refused', errorCode: 'tool-bad-arguments' })
  expect(await shell('tools', 'call', 'set_lamp', 'on', '--device', 'desk')).toMatchObject({ code: 2, out: '' })
  expect(await shell('tools', 'paint')).toMatchObject({ code: 2, out: '' })
})

test('a Thing goes out as a model and as code, and comes in as a draft', { timeout: 200_000 }, async () => {
  const { dataDir, rpc, shell } = await house()
  const draft = await rpc.things.openDraft({ name: 'fan', template: 'fan' })
  await rpc.things.publish({ draftId: draft.id, basedOn: null, note: '', canary: [] })
  expect((await shell('things', 'list')).out).toMatch(/^fan@1 +on 0 devices/)

  const { out: model } = await shell('things', 'export', 'fan')
  expect(JSON.parse(model)).toEqual((await rpc.things.detail({ name: 'fan' })).versions[0]?.model)
  const file = join(dataDir, 'fan.json')
  await writeFile(file, model)
  expect(await shell('things', 'import', 'second_fan', file)).toMatchObject({ code: 0 })
  expect((await rpc.things.detail({ name: 'second_fan' })).drafts[0]?.model).toEqual(JSON.parse(model))

  const code = await shell('things', 'export', 'fan', '--as', 'legacy-descriptor')
  expect(code.code).toBe(0)
  expect(JSON.parse(code.out)).toBeDefined()
  await writeFile(file, '{"title":"no Thing"}')
  expect(await shell('things', 'import', 'third_fan', file)).toMatchObject({ code: 2, out: '' })
})
