import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { followTurns, freshDir, startRoost } from '../support/roost-server.ts'

/** A program on the PATH that writes down how it was called. */
async function fakeProgram(name: string) {
  const dir = await freshDir('bin')
  const log = join(dir, 'calls')
  await writeFile(join(dir, name), `#!/bin/sh\necho "$@" >> '${log}'\n`)
  await chmod(join(dir, name), 0o755)
  const path = process.env['PATH'] ?? ''
  process.env['PATH'] = `${dir}:${path}`
  onTestFinished(() => {
    process.env['PATH'] = path
  })
  return async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
}

test.runIf(process.platform === 'linux')(
  'the computer’s volume is switched off at first, then waits for a yes, and then is set once',
  async () => {
    const calls = await fakeProgram('wpctl')
    const roost = await startRoost()
    await roost.board({ deviceId: 'desk' }).online
    const client = await roost.rpc()
    const turns = await followTurns(client, 'desk')
    const ask = async (text: string) => turns.ended((await client.talk.type({ deviceId: 'desk', text })).turnId)
    const byHand = { deviceId: 'desk', name: 'computer_volume', arguments: { level: 40 } }

    expect((await ask('set computer volume to 30')).calls).toMatchObject([
      { outcome: 'refused', errorCode: 'tool-withheld' },
    ])
    expect(await client.tools.call(byHand)).toMatchObject({ outcome: 'refused', errorCode: 'tool-withheld' })
    expect(await calls()).toEqual([])

    await client.tools.enable({ name: 'computer_volume', enabled: true })
    const [asked] = (await ask('set computer volume to 30')).calls
    expect(asked).toMatchObject({ ref: 'computer_volume@1', outcome: 'refused', errorCode: 'tool-needs-consent' })
    expect(await calls()).toEqual([])
    const id = asked?.consentId ?? expect.fail('nobody is asked')
    expect(await client.consents.answer({ id, yes: true })).toMatchObject({ outcome: 'ok' })
    await expect(client.consents.answer({ id, yes: true })).rejects.toMatchObject({
      data: { code: 'tool-consent-over' },
    })
    expect(await calls()).toEqual(['set-volume @DEFAULT_AUDIO_SINK@ 30%'])

    // A person's own click is a yes.
    expect(await client.tools.call(byHand)).toMatchObject({ outcome: 'ok' })
    expect(await calls()).toHaveLength(2)
    await expect
      .poll(() => client.tools.calls({ name: 'computer_volume', limit: 10 }))
      .toMatchObject([
        { caller: { kind: 'person' }, outcome: 'ok' },
        { outcome: 'ok', consentId: id },
        { caller: { kind: 'turn' }, outcome: 'refused', consentId: id },
        { outcome: 'refused' },
        { caller: { kind: 'turn' }, outcome: 'refused', errorCode: 'tool-withheld' },
      ])
  },
)
