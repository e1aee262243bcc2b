import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import type { Turn } from '../../electron/contract/conversation.ts'
import { type BundledServer, owner, startBundledServer } from '../support/bundled-server.ts'

// One board's whole life as a person sees it: the built server, its own virtual chip on a PTY, TLS, Opus, speech.

let server: BundledServer
test.beforeAll(async () => {
  server = await startBundledServer()
})
test.afterAll(() => server.close())

/** Remembers how loud each piece of sound was that the page gave to the speaker. */
async function listenToSpeaker(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const peaks: number[] = []
    Object.assign(window, { peaks })
    const start = Object.getOwnPropertyDescriptor(AudioBufferSourceNode.prototype, 'start')?.value as (
      when?: number,
    ) => void
    AudioBufferSourceNode.prototype.start = function (this: AudioBufferSourceNode, when?: number) {
      const samples = this.buffer?.getChannelData(0) ?? new Float32Array()
      peaks.push(samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0))
      start.call(this, when)
    }
  })
}

const loudest = (page: Page) => page.evaluate(() => Math.max(0, ...(window as unknown as { peaks: number[] }).peaks))

async function signIn(page: Page): Promise<void> {
  await page.goto(server.loopback)
  await page.getByLabel(/^(Name|用户名|名称)$/).fill(owner.name)
  await page.getByLabel(/^(Password|密码)$/).fill(owner.password)
  await page.getByRole('button', { name: /Sign in|登录/ }).click()
}

/** Order and sums of the stages, as the server's one clock has them. */
function expectSoundStages(turn: Turn): void {
  const at = (name: Turn['stages'][number]['stage']) => turn.stages.find((stage) => stage.stage === name)
  for (const stage of turn.stages) {
    expect(stage.error).toBeNull()
    expect(stage.endedAt).toBeGreaterThanOrEqual(stage.startedAt)
    expect(stage.startedAt).toBeGreaterThanOrEqual(turn.startedAt)
  }
  const [llm, tool, tts] = [at('llm'), at('tool'), at('tts')]
  expect(tool?.startedAt).toBeGreaterThanOrEqual(llm!.startedAt)
  expect(tts?.startedAt).toBeGreaterThanOrEqual(tool!.endedAt!)
  expect(turn.firstFrameAt).toBeGreaterThanOrEqual(tts!.startedAt)
  expect(turn.endedAt).toBeGreaterThanOrEqual(tts!.endedAt!)
  const since = turn.source === 'voice' ? turn.speechEndedAt : turn.startedAt
  expect(Math.abs(turn.firstFrameAt! - since! - turn.replyMs!)).toBeLessThan(1)
  if (turn.source !== 'voice') return
  const [vad, asr] = [at('vad'), at('asr')]
  expect(vad?.endedAt).toBeGreaterThanOrEqual(turn.speechEndedAt!)
  expect(asr?.endedAt).toBeGreaterThanOrEqual(vad!.endedAt!)
  expect(llm?.startedAt).toBeGreaterThanOrEqual(asr!.endedAt!)
}

async function lastTurn(source: Turn['source']): Promise<Turn | undefined> {
  const { turns } = await server.rpc.turns.list({ limit: 10 })
  return turns.find((turn) => turn.source === source)
}

test('a virtual board is flashed, boots, joins over TLS, hears, calls its lamp and answers aloud', async ({
  context,
  page,
}) => {
  await listenToSpeaker(context)
  await signIn(page)
  await page.getByRole('button', { name: 'Try without a board' }).click()
  const lane = page.getByRole('article', { name: 'Virtual board' })
  await expect(lane.getByRole('list', { name: 'Steps' })).toBeVisible()

  await expect(page).toHaveURL(/\/devices\/02%3A.*\/live/, { timeout: 60_000 })
  await page.getByRole('button', { name: 'Use a sample sentence' }).click()
  const turn = page.getByRole('article', { name: /^Turn at/ }).first()
  await expect(turn).toContainText('turn on the lamp', { timeout: 30_000 })
  await expect(turn).toContainText('set_lamp@1')
  await expect(turn).toContainText('Okay, the lamp is on.')
  await expect(turn).toContainText('after end of speech')
  await expect(turn.getByText('Done', { exact: true })).toBeVisible({ timeout: 15_000 })
  expect(await loudest(page)).toBeGreaterThan(0.05)

  const stored = (await lastTurn('voice'))!
  expect(stored).toMatchObject({ userText: 'turn on the lamp', status: 'done', notes: [] })
  expect(stored.calls).toMatchObject([{ ref: 'set_lamp@1', arguments: { on: true }, outcome: 'ok' }])
  expect(stored.stages.map(({ stage }) => stage).sort()).toEqual(['asr', 'llm', 'tool', 'tts', 'vad'])
  expectSoundStages(stored)

  const window = { from: stored.startedAt - 60_000, to: Date.now() + 60_000, columns: 100 }
  const deviceIds = [stored.deviceId]
  const [replies] = await server.rpc.telemetry.series({ deviceIds, metric: 'reply_ms', ...window })
  expect(replies?.columns.map(({ max }) => Math.round(max))).toEqual([Math.round(stored.replyMs!)])
  await expect
    .poll(
      async () => (await server.rpc.telemetry.series({ deviceIds, metric: 'rssi_dbm', ...window }))[0]?.columns.length,
    )
    .toBeGreaterThan(0)
})

test('typed in Chinese, the same board answers in Chinese, and everything is still there after a reload', async ({
  page,
}) => {
  await signIn(page)
  await page.getByRole('button', { name: '中' }).click()
  await page
    .getByRole('link', { name: /Virtual board/ })
    .first()
    .click()
  await page.getByLabel('用打字代替说话').fill('把灯打开')
  await page.getByRole('button', { name: '发送' }).click()
  const turn = page.getByRole('article').filter({ hasText: '把灯打开' }).first()
  await expect(turn).toContainText('好的，灯开了。', { timeout: 30_000 })
  await expect(turn).toContainText('set_lamp@1')
  await expect.poll(async () => (await lastTurn('typed'))?.status).toBe('done')
  expectSoundStages((await lastTurn('typed'))!)

  await page.reload()
  await expect(page.getByRole('article').filter({ hasText: '把灯打开' })).toBeVisible()
  await page.getByRole('link', { name: '会话' }).first().click()
  await expect(page.getByText('turn on the lamp').first()).toBeVisible()
})
