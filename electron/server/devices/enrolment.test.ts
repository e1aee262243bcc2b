import { expect, onTestFinished, test } from 'vitest'
import { type RimOptions, openRegistry } from '../../../test/support/network-rim.ts'
import { parseProvisionRequest } from './provision-wire.ts'

const dayMs = 24 * 3_600_000
const pair = [
  { device_id: 'aa:bb', request: undefined },
  { device_id: 'cc:dd', request: undefined },
]

async function open(options: RimOptions = {}) {
  const clock = { at: Date.UTC(2026, 10, 30) }
  const registry = await openRegistry({
    ...options,
    devices: { now: () => clock.at, monotonic: () => clock.at },
  })
  onTestFinished(() => registry.close())
  const ask = (body: object, token?: string, address = '192.168.1.20') =>
    registry.enrolment.provision({
      body: parseProvisionRequest({ board: 'bench', fw: { name: 'test', version: '1' }, ...body }),
      address,
      token,
    })
  /** Enrols or fails the test. */
  const token = async (body: object, shown?: string): Promise<string> => {
    const outcome = await ask(body, shown)
    if (outcome.result !== 'enrolled') throw new Error(`not enrolled: ${JSON.stringify(outcome)}`)
    return outcome.token
  }
  const pending = async (body: object) => {
    const outcome = await ask(body)
    if (outcome.result !== 'pending') throw new Error(`not pending: ${JSON.stringify(outcome)}`)
    return outcome
  }
  const isGood = async (id: string, secret: string) => (await registry.devices.authenticate(id, secret)).ok
  return { ...registry, clock, ask, token, pending, isGood }
}

test('a claim enrols at once, with the name and the kind that its plan gave', async () => {
  const { claims, token, devices } = await open()
  const claim = await claims.make({ name: 'Desk lamp', virtual: true })
  await token({ device_id: 'AA:BB', claim })
  expect(devices.get('aa:bb')).toMatchObject({ name: 'Desk lamp', virtual: true, enrolledBy: 'claim', board: 'bench' })
})

test('a claim belongs to the first id that shows it', async () => {
  const { claims, token, ask } = await open()
  const claim = await claims.make({})
  await token({ device_id: 'aa:bb', claim })
  expect(await ask({ device_id: 'cc:dd', claim })).toEqual({ result: 'refused', code: 'claim_other_device' })
})

test('of two boards that show one claim at once exactly one gets in', async () => {
  const { claims, ask } = await open()
  const claim = await claims.make({})
  const outcomes = await Promise.all(pair.map(({ device_id }) => ask({ device_id, claim })))
  expect(outcomes.map(({ result }) => result).toSorted()).toEqual(['enrolled', 'refused'])
})

test('a claim that the flasher bound is refused from another board', async () => {
  const { claims, ask, token } = await open()
  const claim = await claims.make({ deviceId: 'AA:BB' })
  expect(await ask({ device_id: 'cc:dd', claim })).toEqual({ result: 'refused', code: 'claim_other_device' })
  await token({ device_id: 'aa:bb', claim })
})

test('a reply that was lost is asked for again, and replaces the token given before', async () => {
  const { claims, token, isGood } = await open()
  const claim = await claims.make({})
  const lost = await token({ device_id: 'aa:bb', claim })
  const second = await token({ device_id: 'aa:bb', claim })
  expect([await isGood('aa:bb', lost), await isGood('aa:bb', second)]).toEqual([false, true])
})

test('the first use of its token ends the claim', async () => {
  const { claims, token, isGood, ask } = await open()
  const claim = await claims.make({})
  const first = await token({ device_id: 'aa:bb', claim })
  expect(await isGood('aa:bb', first)).toBe(true)
  expect(await ask({ device_id: 'aa:bb', claim })).toEqual({ result: 'refused', code: 'claim_unknown' })
})

test('a board whose claim is over proves itself by its token, claim and all', async () => {
  const { claims, token, isGood } = await open()
  const claim = await claims.make({})
  const first = await token({ device_id: 'aa:bb', claim })
  await isGood('aa:bb', first)
  const second = await token({ device_id: 'aa:bb', claim }, first)
  expect([await isGood('aa:bb', first), await isGood('aa:bb', second)]).toEqual([true, true])
})

test('a claim ends after 30 days', async () => {
  const { claims, ask, clock } = await open()
  const claim = await claims.make({})
  clock.at += 30 * dayMs
  expect(await ask({ device_id: 'aa:bb', claim })).toEqual({ result: 'refused', code: 'claim_unknown' })
})

test('enrolling by claim revokes every earlier token of that id', async () => {
  const { claims, token, isGood } = await open({ enrolment: { mode: 'open' } })
  const old = await token({ device_id: 'aa:bb' })
  const fresh = await token({ device_id: 'aa:bb', claim: await claims.make({}) })
  expect([await isGood('aa:bb', old), await isGood('aa:bb', fresh)]).toEqual([false, true])
})

test('a renewal leaves older tokens valid, four at most, the oldest goes first', async () => {
  const { token, isGood, clock } = await open({ enrolment: { mode: 'open' } })
  const tokens = [await token({ device_id: 'aa:bb' })]
  for (let n = 0; n < 4; n++) {
    clock.at += 1000
    tokens.push(await token({ device_id: 'aa:bb' }, tokens.at(-1)))
  }
  expect(await Promise.all(tokens.map((one) => isGood('aa:bb', one)))).toEqual([false, true, true, true, true])
})

test('an expired token renews and revokes all others', async () => {
  const { token, isGood, clock } = await open({ enrolment: { mode: 'open', tokenLifeMs: dayMs } })
  const first = await token({ device_id: 'aa:bb' })
  clock.at += dayMs - 1000
  const thief = await token({ device_id: 'aa:bb' }, first)
  clock.at += 2000
  const renewed = await token({ device_id: 'aa:bb' }, first)
  expect([await isGood('aa:bb', thief), await isGood('aa:bb', renewed)]).toEqual([false, true])
})

test('an expired token proves nothing once a newer one was used, nor after 180 days', async () => {
  const { token, isGood, ask, clock } = await open({ enrolment: { mode: 'open' } })
  const first = await token({ device_id: 'aa:bb' })
  clock.at += 1000
  const second = await token({ device_id: 'aa:bb' }, first)
  await isGood('aa:bb', second)
  clock.at += 2 * dayMs
  expect(await ask({ device_id: 'aa:bb' }, first)).toMatchObject({ result: 'pending' })
  clock.at += 180 * dayMs
  expect(await ask({ device_id: 'aa:bb' }, second)).toMatchObject({ result: 'pending' })
})

test('an expired token opens nothing but provisioning', async () => {
  const { token, devices, clock } = await open({ enrolment: { mode: 'open' } })
  const secret = await token({ device_id: 'aa:bb' })
  clock.at += dayMs
  expect(await devices.authenticate('aa:bb', secret)).toMatchObject({ ok: false, reason: 'token_expired' })
})

test('the open window takes new ids; a known id without proof has to ask', async () => {
  const { token, ask, enrolment } = await open({ enrolment: { mode: 'open' } })
  await token({ device_id: 'aa:bb' })
  expect(await ask({ device_id: 'AA:BB' })).toMatchObject({ result: 'pending' })
  expect(enrolment.pending()).toMatchObject([{ deviceId: 'aa:bb', knownDevice: true }])
})

test('a forgotten id counts as new, a revoked one does not', async () => {
  const { token, ask, devices } = await open({ enrolment: { mode: 'open' } })
  await token({ device_id: 'aa:bb' })
  await devices.revoke('aa:bb')
  expect(await ask({ device_id: 'aa:bb' })).toMatchObject({ result: 'pending' })
  await devices.forget('aa:bb')
  expect(await ask({ device_id: 'aa:bb' })).toMatchObject({ result: 'enrolled' })
})

test('a timed window opens and closes by itself', async () => {
  const { enrolment, ask, clock } = await open()
  enrolment.openWindow(10)
  expect(enrolment.status()).toEqual({ mode: 'approve', openUntil: clock.at + 600_000 })
  expect(await ask({ device_id: 'aa:bb' })).toMatchObject({ result: 'enrolled' })
  clock.at += 600_000
  expect(enrolment.status()).toEqual({ mode: 'approve', openUntil: null })
  expect(await ask({ device_id: 'cc:dd' })).toMatchObject({ result: 'pending' })
})

test('in claim mode nobody may ask', async () => {
  const { ask, claims, token } = await open({ enrolment: { mode: 'claim' } })
  expect(await ask({ device_id: 'aa:bb' })).toEqual({ result: 'refused', code: 'claim_unknown' })
  await token({ device_id: 'aa:bb', claim: await claims.make({}) })
})

test('an approved board gets one token, once, by its request secret', async () => {
  const { pending, ask, enrolment, token, isGood } = await open()
  const { code, request } = await pending({ device_id: 'aa:bb' })
  expect(code).toMatch(/^\d{6}$/)
  expect(await ask({ device_id: 'aa:bb', request })).toMatchObject({ result: 'pending', code, request })
  enrolment.approve(code)
  expect(await ask({ device_id: 'aa:bb' })).toMatchObject({ result: 'pending' })
  expect(await ask({ device_id: 'cc:dd', request })).toMatchObject({ result: 'pending' })
  expect(await isGood('aa:bb', await token({ device_id: 'aa:bb', request }))).toBe(true)
  const again = await pending({ device_id: 'aa:bb', request })
  expect(again.request).not.toBe(request)
})

test('a rejected board is told so, and may ask anew', async () => {
  const { pending, ask, enrolment } = await open()
  const { code, request } = await pending({ device_id: 'aa:bb' })
  enrolment.reject(code)
  expect(await ask({ device_id: 'aa:bb', request })).toEqual({ result: 'refused', code: 'rejected' })
  expect(await ask({ device_id: 'aa:bb', request })).toMatchObject({ result: 'pending' })
})

test('two boards that claim one id stand side by side with codes of their own', async () => {
  const { pending, enrolment } = await open()
  const one = await pending({ device_id: 'aa:bb' })
  const two = await pending({ device_id: 'aa:bb' })
  expect(one.code).not.toBe(two.code)
  expect(enrolment.pending().map(({ duplicates }) => duplicates)).toEqual([1, 1])
})

test('a request expires after 15 minutes', async () => {
  const { pending, enrolment, clock } = await open()
  const { code, request } = await pending({ device_id: 'aa:bb' })
  clock.at += 15 * 60_000
  expect(enrolment.pending()).toEqual([])
  expect(() => enrolment.approve(code)).toThrow(expect.objectContaining({ code: 'server-not-found' }))
  expect((await pending({ device_id: 'aa:bb', request })).request).not.toBe(request)
})

test('a hundred boards may wait, the next is asked to come later', async () => {
  const { ask, pending, enrolment } = await open()
  for (let n = 0; n < 100; n++) await ask({ device_id: `b-${n}` }, undefined, `10.0.0.${n}`)
  expect(new Set(enrolment.pending().map(({ code }) => code)).size).toBe(100)
  expect(await ask({ device_id: 'one-more' })).toEqual({ result: 'too_many', retryAfterS: 60 })
  await expect(pending({ device_id: 'one-more' })).rejects.toThrow()
})

test.each(['127.0.0.1', '192.168.1.66'])('%s takes twenty places at most, others still get theirs', async (address) => {
  const { ask, enrolment } = await open()
  for (let n = 0; n < 20; n++) {
    expect(await ask({ device_id: `b-${n}` }, undefined, address)).toMatchObject({ result: 'pending' })
  }
  expect(await ask({ device_id: 'b-20' }, undefined, address)).toEqual({ result: 'too_many', retryAfterS: 60 })
  expect(await ask({ device_id: 'other' }, undefined, '192.168.1.67')).toMatchObject({ result: 'pending' })
  enrolment.reject(enrolment.pending()[0]!.code)
  expect(await ask({ device_id: 'b-20' }, undefined, address)).toMatchObject({ result: 'pending' })
})

test('a board that forgets its request is slowed down', async () => {
  const { ask } = await open()
  for (let n = 0; n < 10; n++) expect(await ask({ device_id: 'aa:bb' })).toMatchObject({ result: 'pending' })
  expect(await ask({ device_id: 'aa:bb' })).toEqual({ result: 'too_many', retryAfterS: 60 })
})

test('a thousand wrong claims give no token', async () => {
  const { ask, devices } = await open({ enrolment: { mode: 'open' } })
  const results = new Set<string>()
  for (let n = 0; n < 1_000; n++) results.add((await ask({ device_id: 'aa:bb', claim: `guess-${n}` })).result)
  expect([...results].toSorted()).toEqual(['refused', 'too_many'])
  expect(devices.list()).toEqual([])
})

test('a blocked device is refused by every way', async () => {
  const { token, ask, claims, devices } = await open({ enrolment: { mode: 'open' } })
  const secret = await token({ device_id: 'aa:bb' })
  await devices.block('aa:bb', true)
  const blocked = { result: 'refused', code: 'blocked' }
  expect(await ask({ device_id: 'aa:bb' }, secret)).toEqual(blocked)
  expect(await ask({ device_id: 'aa:bb', claim: await claims.make({}) })).toEqual(blocked)
  await devices.block('aa:bb', false)
  await token({ device_id: 'aa:bb' }, secret)
})

test.each([
  [{}, 'device_id'],
  [{ device_id: 'x'.repeat(65) }, 'device_id'],
  [{ device_id: 'a b' }, 'device_id'],
  [{ device_id: 'a', board: '' }, 'board'],
  [{ device_id: 'a', board: 'b' }, 'fw'],
  [{ device_id: 'a', board: 'b', fw: { name: 'n', version: 3 } }, 'fw.version'],
  [{ device_id: 'a', board: 'b', fw: { name: 'n', version: '1' }, claim: 7 }, 'claim'],
])('the body %j names its wrong field %s', (body, field) => {
  expect(() => parseProvisionRequest(body)).toThrow(
    expect.objectContaining({ code: 'iotta-bad-request', message: expect.stringContaining(`"${field}"`) as string }),
  )
})
