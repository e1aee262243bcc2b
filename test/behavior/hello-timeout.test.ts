import { expect, test } from 'vitest'
import { byHeaders, enrol, helloMessage, openChannel } from '../support/foreign-client.ts'
import { startRoost } from '../support/roost-server.ts'

test('a session that never says hello is closed with 4408 after ten seconds, whatever else it sends', async () => {
  const roost = await startRoost()
  const place = await enrol(roost, 'mute-1')
  const silent = await openChannel(roost, place.session_url, byHeaders(place.token, 'mute-1'))
  const other = await enrol(roost, 'busy-1')
  const busy = await openChannel(roost, other.session_url, byHeaders(other.token, 'busy-1'))
  const openedAt = performance.now()
  busy.say({ type: 'listen', state: 'start' })
  busy.send(new Uint8Array(40))
  expect((await busy.until(({ type }) => type === 'error')).last).toMatchObject({ code: 'bad_message', fatal: false })
  expect(await Promise.all([silent.closed, busy.closed])).toEqual([4408, 4408])
  expect(performance.now() - openedAt).toBeGreaterThan(9_000)
  expect(roost.logs.filter((line) => line.includes('"session closed"') && line.includes('"code":4408'))).toHaveLength(2)

  const late = await openChannel(roost, place.session_url, byHeaders(place.token, 'mute-1'))
  late.say(helloMessage)
  expect((await late.until(({ type }) => type === 'hello')).last).toMatchObject({ type: 'hello' })
})
