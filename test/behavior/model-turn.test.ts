import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ModelInput } from '../../electron/contract/model.ts'
import { type ModelAnswers, startModelEndpoint } from '../support/model-endpoint.ts'
import { followTurns, freshDir, startRoost } from '../support/roost-server.ts'

const key = 'sk-canary-6b1f0c77d2'

/** A server with a board, and a model that is connected to it. */
async function startWithModel(answers: ModelAnswers, more: Partial<ModelInput> = {}) {
  const dataDir = await freshDir()
  const model = await startModelEndpoint(answers)
  const roost = await startRoost({ dataDir })
  const board = roost.board({ deviceId: 'desk' })
  await board.online
  const client = await roost.rpc()
  const settings = { enabled: true, address: model.address, model: 'tiny', key, rulesFirst: true, ...more }
  await client.model.put(settings)
  const turns = await followTurns(client)
  const say = async (text: string) => {
    const { turnId } = await client.talk.type({ deviceId: 'desk', text })
    return turns.ended(turnId)
  }
  return { dataDir, model, roost, board, client, settings, turns, say }
}

const toolResult = (messages: readonly { role: string; content: string }[]) =>
  messages.filter(({ role }) => role === 'tool').at(-1)?.content ?? ''

test('a sentence that no rule knows goes to the model, which calls the tool of the board and answers', async () => {
  const { model, board, say } = await startWithModel(({ body }) =>
    body.messages.at(-1)?.role === 'tool'
      ? { text: ['Your read', 'ing light is on. Sleep', ' well.'] }
      : { calls: [{ name: 'set_lamp', arguments: '{"on":true}' }] },
  )
  const turn = await say('I would like to read in bed')

  expect(turn).toMatchObject({ status: 'done', notes: [], replyText: 'Your reading light is on. Sleep well.' })
  expect(turn.calls).toMatchObject([{ ref: 'set_lamp@1', arguments: { on: true }, outcome: 'ok' }])
  expect(board.state.lamp.on).toBe(true)
  expect(turn.stages.find(({ stage }) => stage === 'llm')?.detail).toMatchObject({
    provider: 'model tiny',
    sentences: 2,
  })
  const [first, second] = model.requests
  expect(first).toMatchObject({ path: '/v1/chat/completions', authorization: `Bearer ${key}` })
  expect(first?.body).toMatchObject({ model: 'tiny', stream: true })
  expect(first?.body.messages.map(({ role }) => role)).toEqual(['system', 'user'])
  const names = first?.body.tools?.map((tool) => tool.function.name) ?? []
  expect(names).toContain('set_lamp')
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect(toolResult(second?.body.messages ?? [])).toMatch(/^<untrusted-result>\{"outcome":"ok".*<\/untrusted-result>$/)
})

test('what the rules understand for sure never leaves for the model, unless a person wants it to', async () => {
  const { model, client, settings, say } = await startWithModel(() => ({ text: ['I am the model.'] }))
  const ruled = await say('turn on the lamp')
  expect(ruled.calls).toMatchObject([{ ref: 'set_lamp@1', outcome: 'ok' }])
  expect(ruled.stages.find(({ stage }) => stage === 'llm')?.detail['provider']).toBe('rules')
  expect(model.requests).toEqual([])

  await client.model.put({ ...settings, key: null, rulesFirst: false })
  expect((await say('hello')).replyText).toBe('I am the model.')
  // The turn before is told with its call: a model that reads claims without calls learns to claim.
  const earlier = model.requests[0]?.body.messages.slice(1) ?? []
  expect(earlier.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  expect(earlier[1]?.tool_calls?.[0]?.function).toEqual({ name: 'set_lamp', arguments: '{"on":true}' })

  await client.model.put({ ...settings, key: null, enabled: false })
  expect((await say('hello')).replyText).not.toBe('I am the model.')
  expect(model.requests).toHaveLength(1)
})

test('a person who stops the turn aborts the request, and nothing of it follows', async () => {
  const { model, board, client, turns } = await startWithModel(() => ({
    text: ['Once upon a time there was a lamp. It'],
    then: 'hang',
  }))
  const { turnId } = await client.talk.type({ deviceId: 'desk', text: 'tell me a story' })
  await expect.poll(() => board.of('tts').some(({ state }) => state === 'sentence_start')).toBe(true)
  expect(model.requests[0]?.dropped).toBe(false)
  const at = performance.now()
  await client.talk.stop({ deviceId: 'desk' })
  await expect.poll(() => model.requests[0]?.dropped, { interval: 5 }).toBe(true)
  expect(performance.now() - at).toBeLessThan(1000)
  expect(await turns.ended(turnId)).toMatchObject({
    status: 'aborted',
    notes: [],
    replyText: 'Once upon a time there was a lamp.',
  })
})

test.each([
  ['dies in the middle of a word', { text: ['I am'], then: 'die' }, 'model-unreachable'],
  ['has no such model', { status: 404, body: '{"error":{"message":"model not found"}}' }, 'model-not-found'],
  ['refuses the key', { status: 401, body: `{"error":{"message":"bad key ${key}"}}` }, 'model-key-refused'],
  ['cannot call tools', { status: 400, body: '{"error":"tiny does not support tools"}' }, 'model-no-tools'],
  ['sends the request elsewhere', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }, 'model-redirected'],
  ['says nothing', { text: [''] }, 'model-bad-answer'],
  ['is no model', { status: 200, body: '<html>' }, 'model-bad-answer'],
] as const)('where the model %s the rules answer, and the turn says why', async (_name, script, code) => {
  const { say, client } = await startWithModel(() => script, { rulesFirst: false })
  const understood = await say('turn on the lamp')
  expect(understood).toMatchObject({ status: 'done', errorCode: null, notes: [code] })
  expect(understood.calls).toMatchObject([{ ref: 'set_lamp@1', outcome: 'ok' }])
  expect(understood.stages.find(({ stage }) => stage === 'llm')?.detail['provider']).toBe('rules')
  const strange = await say('why is the sky blue')
  expect(strange).toMatchObject({ notes: [code], calls: [], replyText: 'Sorry, I could not find an answer.' })
  expect(await client.model.status()).toMatchObject({ problem: code, hasKey: true })
  const { engines } = await client.server.overview()
  expect(engines.filter(({ role }) => role === 'think').map((engine) => engine.code)).toEqual([null, code])
})

test('what the model did before it died is not done again', async () => {
  const { model, say } = await startWithModel(
    (_request, index) =>
      index === 0 ? { calls: [{ name: 'set_lamp', arguments: '{"on":true}' }] } : { text: ['It'], then: 'die' },
    { rulesFirst: false },
  )
  const turn = await say('turn on the lamp')
  expect(turn.calls).toHaveLength(1)
  expect(turn).toMatchObject({ notes: ['model-unreachable'], status: 'done' })
  expect(turn.replyText).not.toBe('')
  await model.close()
  expect(await say('turn off the lamp')).toMatchObject({ notes: ['model-unreachable'], calls: [{ outcome: 'ok' }] })
})

test('a call that is broken, unknown or endless is answered, never guessed', async () => {
  const { model, say } = await startWithModel((_request, index) => ({
    calls: [
      index === 0
        ? { name: 'set_lamp', arguments: '{"on":tr' }
        : index === 1
          ? { name: 'open_garage', arguments: '{}' }
          : { name: 'set_lamp', arguments: '{"on":"maybe"}' },
    ],
  }))
  const turn = await say('do something for me')
  expect(turn.notes).toEqual(['model-circles'])
  expect(turn.calls.map(({ errorCode }) => errorCode)).toEqual(Array.from({ length: 4 }, () => 'tool-bad-arguments'))
  const told = model.requests.map(({ body }) => toolResult(body.messages))
  expect(told.slice(1, 4)).toEqual([
    'Not called: the arguments are no JSON object.',
    'Not called: there is no tool of this name.',
    expect.stringContaining('tool-bad-arguments'),
  ])
})

test('a claim without a call is not spoken: the model is asked once more', async () => {
  const { model, say } = await startWithModel((_request, index) =>
    index === 0 ? { text: ['The lamp is on now.'] } : { text: ['Sorry, I did not turn on the lamp.'] },
  )
  const turn = await say('I want some light from the lamp')
  expect(turn).toMatchObject({ notes: ['tool-not-called'], replyText: 'Sorry, I did not turn on the lamp.' })
  expect(model.requests).toHaveLength(2)
})

test('the key is in no log, answer or turn, lies in a private file, and is not sent to another address', async () => {
  const { dataDir, model, roost, client, settings, say } = await startWithModel(
    () => ({ status: 500, body: JSON.stringify({ error: { message: `you sent ${key}` } }) }),
    { rulesFirst: false },
  )
  await say('why is the sky blue')
  const steps = []
  for await (const step of await client.model.test()) steps.push(step)
  expect(steps).toMatchObject([{ step: 'first-token', code: 'model-failed' }])
  const other = await startModelEndpoint(() => ({ text: ['Hello.'] }))
  const moved = await client.model.put({ ...settings, key: null, address: other.address })
  expect(moved.hasKey).toBe(false)
  expect((await say('why is the sky blue')).replyText).toBe('Hello.')
  expect(model.requests[0]?.authorization).toBe(`Bearer ${key}`)
  expect(other.requests[0]?.authorization).toBeUndefined()

  const { turns } = await client.turns.list({ limit: 10 })
  expect(JSON.stringify([moved, turns, await client.server.overview(), roost.logs])).not.toContain(key)
  expect(roost.logs.join('')).toContain('the model did not answer')
  await client.model.put({ ...settings, key })
  await roost.close()
  const { mode } = await import('node:fs').then(({ statSync }) => statSync(join(dataDir, 'roost.db')))
  expect(mode & 0o077).toBe(0)
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith('history.db') && !name.endsWith('.json')) continue
    expect([name, (await readFile(join(dataDir, name))).includes(key)]).toEqual([name, false])
  }

  // And it is still there after a restart.
  const again = await startRoost({ dataDir })
  expect(await (await again.rpc()).model.status()).toMatchObject({ hasKey: true, model: 'tiny', enabled: true })
})

test('"ask the model" shows which tool it would call and calls nothing', async () => {
  const { model, board, client, settings } = await startWithModel((_request, index) =>
    index === 0
      ? { calls: [{ name: 'set_lamp', arguments: '{"on":true}' }] }
      : index === 1
        ? { calls: [{ name: 'set_lamp', arguments: '{"on":"bright"}' }] }
        : { text: ['I cannot do that.'] },
  )
  const answers = []
  for await (const answer of await client.model.ask({ name: 'set_lamp', phrases: [] })) answers.push(answer)
  expect(answers).toHaveLength(5)
  expect(answers.slice(0, 3)).toMatchObject([
    { chosen: 'set_lamp', arguments: { on: true }, hit: true, fits: true, code: null },
    { chosen: 'set_lamp', hit: true, fits: false },
    { chosen: null, hit: false, fits: null, said: 'I cannot do that.' },
  ])
  expect(new Set(answers.map(({ language }) => language))).toEqual(new Set(['en', 'zh']))
  expect(model.requests).toHaveLength(5)
  expect(board.state.lamp.on).toBe(false)
  expect(await client.tools.calls({ limit: 10 })).toEqual([])

  await client.model.put({ ...settings, key: null, enabled: false })
  await expect(
    (async () => {
      for await (const _answer of await client.model.ask({ name: 'set_lamp', phrases: [] }));
    })(),
  ).rejects.toMatchObject({ data: { code: 'model-off' } })
})

test('the test measures the first token and finds out whether tools can be called', async () => {
  const { client, model } = await startWithModel(({ body }) =>
    body.tools ? { calls: [{ name: 'set_lamp', arguments: '{"on":true}' }] } : { text: ['Hello', ' there.'] },
  )
  const steps = []
  for await (const step of await client.model.test()) steps.push(step)
  expect(steps).toMatchObject([
    { step: 'first-token', code: null },
    { step: 'answer', code: null, detail: 'Hello there.' },
    { step: 'tool-call', code: null, detail: 'set_lamp {"on":true}' },
  ])
  model.setAnswers(() => ({ text: ['I have turned on the lamp!'] }))
  const poor = []
  for await (const step of await client.model.test()) poor.push(step)
  expect(poor.at(-1)).toMatchObject({ step: 'tool-call', code: 'model-no-tools' })
})
