import { createHash, X509Certificate } from 'node:crypto'
import { setInterval as pace } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { foreignLoudness, foreignSpeech } from '../support/foreign-audio.ts'
import {
  byHeaders,
  bySubprotocols,
  enrol,
  type ForeignChannel,
  type ForeignServer,
  helloMessage,
  openChannel,
  openSession,
  openTools,
  post,
  provision,
  type Provisioned,
} from '../support/foreign-client.ts'
import { isForeignRefusal } from '../support/foreign-socket.ts'
import { makeClaims, freshDir, startRoost } from '../support/roost-server.ts'

// The far end in these tests shares no line with the product: node:tls, framing by hand, Opus by other programs.

async function refusalOf(attempt: Promise<unknown>): Promise<{ status: number; code: string; head: string }> {
  const refusal = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!isForeignRefusal(refusal)) throw new Error(`no refusal: ${String(refusal)}`)
  const { error } = JSON.parse(refusal.body) as { error: { code: string; message: string } }
  return { status: refusal.status, code: error.code, head: refusal.head }
}

test('a foreign board enrols by the open window and gets everything that the page promises', async () => {
  const roost = await startRoost({ enrol: 'approve' })
  const client = await roost.rpc()
  await client.enrolment.window({ minutes: 1 })
  const place = await enrol(roost, 'Foreign-1')
  const at = `127.0.0.1:${roost.server.ports.https}`
  expect(place).toMatchObject({
    session_url: `wss://${at}/session`,
    tools_url: `wss://${at}/tools`,
    telemetry_url: `https://${at}/telemetry`,
    agent: { id: expect.any(String) as string, name: expect.any(String) as string, language: 'en' },
  })
  expect(Buffer.from(place.token, 'base64url').length).toBeGreaterThanOrEqual(32)
  const life = Date.parse(place.token_expires_at) - place.server_time
  expect(Math.abs(life - 24 * 3_600_000)).toBeLessThan(60_000)
  const der = new X509Certificate(roost.ca).raw
  expect(place.ca_fingerprint).toBe(`sha256:${createHash('sha256').update(der).digest('hex')}`)

  // A known id is not let in a second time by the window alone: it waits for a person.
  const again = await provision(roost, { device_id: 'foreign-1' })
  expect(again.status).toBe(202)
  const ticket = again.body as { status: string; code: string; request: string; retry_after: number }
  expect(ticket).toMatchObject({ status: 'pending', code: expect.stringMatching(/^\d{6}$/) as string, retry_after: 5 })
  await client.enrolment.approve({ code: ticket.code })
  expect((await provision(roost, { device_id: 'foreign-1' })).status).toBe(202)
  const approved = await provision(roost, { device_id: 'foreign-1', request: ticket.request })
  expect(approved).toMatchObject({ status: 200, body: { token: expect.any(String) as string } })
  expect((await provision(roost, { device_id: 'foreign-1', request: ticket.request })).status).toBe(202)
})

test('a claim enrols one board, answers a lost reply again, and ends with the first use of its token', async () => {
  const dataDir = await freshDir()
  const [claim] = await makeClaims(dataDir, [{}])
  const roost = await startRoost({ dataDir, enrol: 'claim' })
  const first = await enrol(roost, 'c-1', { claim })
  const second = await enrol(roost, 'c-1', { claim })
  expect(await refusalOf(openChannel(roost, first.session_url, byHeaders(first.token, 'c-1')))).toMatchObject({
    status: 401,
    code: 'token_revoked',
  })
  expect(await provision(roost, { device_id: 'c-2', claim })).toMatchObject({
    status: 403,
    body: { error: { code: 'claim_other_device' } },
  })
  const session = await openChannel(roost, second.session_url, byHeaders(second.token, 'c-1'))
  session.close(1000)
  expect(await provision(roost, { device_id: 'c-1', claim })).toMatchObject({
    status: 403,
    body: { error: { code: 'claim_unknown' } },
  })
  expect(await provision(roost, { device_id: 'c-9' })).toMatchObject({ status: 403 })
})

test('both ways to show credentials open both channels; nothing but iotta.v1 is echoed and no extension is taken', async () => {
  const roost = await startRoost()
  const place = await enrol(roost, 'cred-1')
  for (const url of [place.session_url, place.tools_url]) {
    const offer = { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' }
    const native = await openChannel(roost, url, { ...byHeaders(place.token, 'CRED-1'), ...offer })
    expect(native.head.toLowerCase()).not.toMatch(/sec-websocket-(protocol|extensions)/)
    native.close(1000)
    const browser = await openChannel(roost, url, { ...bySubprotocols(place.token, 'cred-1'), ...offer })
    expect(/^sec-websocket-protocol: *(.*)$/im.exec(browser.head)?.[1]).toBe('iotta.v1')
    expect(browser.head).not.toContain(place.token)
    expect(browser.head.toLowerCase()).not.toContain('extensions')
    browser.close(1000)
    const both = await openChannel(roost, url, {
      ...byHeaders(place.token, 'cred-1'),
      ...bySubprotocols(place.token, 'cred-1'),
    })
    both.close(1000)
  }
  const attempts: [Record<string, string>, number, string][] = [
    [{ ...byHeaders(place.token, 'cred-1'), ...bySubprotocols(place.token, 'cred-2') }, 400, 'bad_request'],
    [{ ...byHeaders(place.token, 'cred-1'), 'Protocol-Version': '2' }, 426, 'wrong_version'],
    [{ Authorization: `Bearer ${place.token}`, 'Protocol-Version': '1' }, 400, 'bad_request'],
    [byHeaders(place.token, 'cred-2'), 401, 'wrong_device'],
    [byHeaders(`${place.token.slice(0, -1)}_`, 'cred-1'), 401, 'unauthorized'],
  ]
  for (const [headers, status, code] of attempts) {
    const refusal = await refusalOf(openChannel(roost, place.session_url, headers))
    expect(refusal).toMatchObject({ status, code })
    if (status === 426) expect(refusal.head).toMatch(/^protocol-version: 1\r?$/im)
  }
  const inUrl = openChannel(roost, `${place.session_url}?token=${place.token}`, {})
  expect(await refusalOf(inUrl)).toMatchObject({ status: 400 })
})

/** Speaks as a board does, one packet each 60 ms, until the server has heard enough. */
async function speakUntilEnd(session: ForeignChannel, packets: readonly Buffer[]) {
  const quiet = new AbortController()
  const read = session.until((message) => {
    if (message['type'] === 'vad' && message['state'] === 'speech_end') quiet.abort()
    return message['type'] === 'tts' && message['state'] === 'stop'
  })
  session.say({ type: 'listen', state: 'start' })
  const left = packets.values()
  for await (const _tick of pace(60)) {
    const packet = left.next()
    if (packet.done === true || quiet.signal.aborted) break
    session.send(packet.value)
  }
  return read
}

test('the worked example of the page: a spoken sentence, its tool call, its reply, frame by frame', async () => {
  const roost = await startRoost()
  const { place, session, hello } = await openSession(roost, 'worked-1')
  const audio = { sample_rate: 16_000, channels: 1, frame_duration: 60 }
  expect(hello).toEqual({
    type: 'hello',
    session_id: expect.any(String) as string,
    input_audio: { codec: 'opus', ...audio },
    output_audio: { codec: 'opus', sample_rate: 24_000, channels: 1, frame_duration: 60 },
    server_time: expect.any(Number) as number,
  })
  const tools = await openTools(roost, place, { deviceId: 'worked-1', tools: { set_lamp: () => ({ status: 'ok' }) } })
  await tools.asked

  const { messages, frames } = await speakUntilEnd(session, foreignSpeech('turn on the lamp'))

  const words = messages
    .filter(({ type }) => type !== 'context')
    .map(({ type, state, stage, final }) => [type, state ?? stage ?? final].join(' '))
  expect(words.filter((word) => word !== 'stt false')).toEqual([
    'vad speech_start',
    'vad speech_end',
    'stt true',
    ...words.filter((word) => word.startsWith('processing')),
    'tts start',
    'tts sentence_start',
    'tts sentence_end',
    'tts stop',
  ])
  expect(words).toContain('processing tool')
  expect(messages.find(({ type, final }) => type === 'stt' && final === true)).toMatchObject({
    text: 'turn on the lamp',
  })
  expect(tools.calls).toEqual([{ name: 'set_lamp', arguments: { on: true } }])
  const heard = foreignLoudness(frames)
  expect(heard.rms).toBeGreaterThan(200)
  expect(heard.ms).toBeGreaterThan(frames.length * 60 - 120)
})

test('frames of a reply come only between tts start and stop, never 500 ms ahead, and stop waits for them', async () => {
  const roost = await startRoost()
  const { session } = await openSession(roost, 'paced-1')
  const client = await roost.rpc()
  await client.talk.type({ deviceId: 'paced-1', text: 'what time is it in the whole wide world' })
  const arrivals: number[] = []
  let open = false
  let stoppedAt = 0
  while (stoppedAt === 0) {
    const { text, bytes } = await session.next()
    if (bytes) {
      expect(open).toBe(true)
      arrivals.push(performance.now())
    } else {
      const message = JSON.parse(text!) as { type: string; state?: string }
      if (message.type !== 'tts') continue
      if (message.state === 'start') open = true
      if (message.state === 'stop') stoppedAt = performance.now()
    }
  }
  const [first = 0] = arrivals
  expect(arrivals.length).toBeGreaterThan(10)
  const ahead = arrivals.map((at, index) => index * 60 - (at - first))
  expect(Math.max(...ahead)).toBeLessThanOrEqual(560)
  // Less one frame: the last packet of an utterance may hold less.
  expect(stoppedAt - first).toBeGreaterThan((arrivals.length - 1) * 60 - 20)
})

test('unknown types and fields are ignored, and pcm is spoken when opus is not offered', async () => {
  const roost = await startRoost()
  const hello = {
    ...helloMessage,
    audio: { ...helloMessage.audio, codecs: ['pcm'], frame_duration: 20 },
    colour: 'red',
  }
  const { session, hello: answer } = await openSession(roost, 'pcm-1', hello)
  expect(answer).toMatchObject({
    input_audio: { codec: 'pcm', sample_rate: 16_000, channels: 1, frame_duration: 20 },
    output_audio: { codec: 'pcm', sample_rate: 16_000, channels: 1, frame_duration: 20 },
  })
  session.say({ type: 'tomorrow', with: { any: 'thing' } })
  session.say({ type: 'listen', state: 'start', mood: 'good' })
  for (let frame = 0; frame < 5; frame += 1) session.send(new Uint8Array(640))
  session.say({ type: 'abort' })
  session.say({ type: 'context', data: { room: 'kitchen' } })
  await session.ping()
  const client = await roost.rpc()
  await client.talk.type({ deviceId: 'pcm-1', text: 'hello' })
  const { messages, frames } = await session.until(({ type, state }) => type === 'tts' && state === 'stop')
  expect(messages.filter(({ type }) => type === 'error')).toEqual([])
  expect(frames.length).toBeGreaterThan(0)
  expect(frames.every((frame) => frame.length === 640)).toBe(true)

  const none = await openSession(roost, 'none-1', {
    ...helloMessage,
    audio: { ...helloMessage.audio, codecs: ['mp3'] },
  })
  expect(none.hello).toMatchObject({ type: 'error', code: 'unsupported_codec', fatal: true })
  expect(await none.session.closed).toBeGreaterThan(1000)
})

test('telemetry of a foreign board is kept, plain and packed, and what is wrong in it is named', async () => {
  const roost = await startRoost()
  const place = await enrol(roost, 'tele-1')
  const report = (body: unknown, headers: Record<string, string> = {}, pack = false) =>
    post(roost, new URL(place.telemetry_url).pathname, {
      body: pack ? gzipSync(JSON.stringify(body)) : JSON.stringify(body),
      headers: { Authorization: `Bearer ${place.token}`, ...headers },
    })
  expect(await report({ metrics: { rssi_dbm: -61, 'Bad Name': 1 } })).toMatchObject({
    status: 202,
    body: { accepted: 1, rejected: [{ index: 0 }] },
  })
  const many = [{ age_ms: 5_000, metrics: { uptime_s: 60 } }, { metrics: {} }, { logs: [{ line: 'boot' }] }]
  expect(await report(many, { 'Content-Encoding': 'gzip' }, true)).toMatchObject({
    status: 202,
    body: { accepted: 2, rejected: [{ index: 1 }] },
  })
  const noToken = await post(roost, '/telemetry', { body: '{"metrics":{"rssi_dbm":-1}}' })
  expect(noToken).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
  const client = await roost.rpc()
  expect(await client.telemetry.metrics({ deviceId: 'tele-1' })).toEqual(
    expect.arrayContaining(['rssi_dbm', 'uptime_s']),
  )
})

test('the plain listener of loopback tells plain addresses and speaks the same', async () => {
  const roost = await startRoost()
  const plain: ForeignServer = { url: roost.loopback }
  const place: Provisioned = await enrol(plain, 'plain-1')
  expect(place.session_url).toBe(`ws://127.0.0.1:${roost.server.ports.loopback}/session`)
  const session = await openChannel(plain, place.session_url, byHeaders(place.token, 'plain-1'))
  session.say(helloMessage)
  expect((await session.until(({ type }) => type === 'hello')).last).toMatchObject({ type: 'hello' })
})
