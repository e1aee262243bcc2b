import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { AppError } from '../../electron/base/app-error.ts'
import { consoleUrl } from '../../electron/base/entries.ts'
import { createLiveFeed } from '../../electron/base/live-feed.ts'
import { silentLog } from '../../electron/base/log.ts'
import { type TurnEvent, turnKind } from '../../electron/contract/conversation.ts'
import type { Device } from '../../electron/contract/device.ts'
import type { JobEvent } from '../../electron/contract/job.ts'
import type { Job } from '../../electron/contract/job.ts'
import type { FleetEvent } from '../../electron/contract/rpc.ts'
import type { AuthState, ServerOverview } from '../../electron/contract/server-info.ts'
import { createConsolePage } from '../../electron/server/http/console-page.ts'
import { createModelScript } from './console-model.ts'
import type { RpcFeatures } from '../../electron/server/rpc/handlers.ts'
import { createRpcServer } from '../../electron/server/rpc/rpc-server.ts'
import { imageOf, jobOf, laneOf } from './console-flash.ts'
import { createAccessScript, type AccessKnobs } from './console-tool-access.ts'
import { createHelperScript, type HelperKnobs } from './console-helpers.ts'
import { createThingScript, type ThingKnobs } from './console-things.ts'
import { createToolScript, type ToolKnobs } from './console-tools.ts'
import { createUartScript, type UartKnobs } from './console-uart.ts'
import { runningTurn, spokenTurn } from './console-turns.ts'
import { createWorld, pendingBoard, seriesOf, toolsOf, virtualBoard, type WorldName } from './console-world.ts'

// Test support: the far end of the console page. The page, the socket, the contract and the headers are the product's;
// what the server knows is scripted (console-world.ts), so that every state of a screen can be shown at once.

export interface ConsoleServer {
  readonly url: string
  /** Signed in as the owner unless told otherwise; `setup`: no owner yet. */
  setAccount(state: 'owner' | 'signed-out' | 'setup'): void
  /** Drops every socket and refuses new ones until `online(true)`. */
  online(on: boolean): void
  /** The next state of the running try-without-board job. */
  stepTry(): void
  changeDevice(device: Device): void
  /** So many boards ask to join, with codes of their own. */
  askToJoin(count: number): void
  /** What a server that was killed remembers of the turns that ran: nothing. */
  forgetRunning(): void
  readonly tools: ToolKnobs
  readonly things: ThingKnobs
  readonly uart: UartKnobs
  readonly helpers: HelperKnobs
  readonly access: AccessKnobs
  close(): Promise<void>
}

const account = { name: 'owner', role: 'owner' } as const
const done = { ok: true } as const
const phases = ['detect', 'compare', 'erase', 'write', 'verify', 'banner', 'provision', 'hello'] as const

export async function startConsoleServer(world: WorldName, port = 0): Promise<ConsoleServer> {
  const log = silentLog
  const page = createConsolePage(consoleUrl())
  const scripted = createScript(world)
  const rpc = createRpcServer({ features: scripted.features, log })
  const sockets = new Set<WebSocket>()
  const upgrades = new WebSocketServer({ noServer: true })
  let who: 'owner' | 'signed-out' | 'setup' = 'owner'
  let open = true

  const state = (): AuthState => ({
    setupNeeded: who === 'setup',
    account: who === 'owner' ? account : null,
    version: '0.1.0',
  })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    if (path === '/auth/state') return json(response, 200, state())
    if (path === '/auth/sign-out') who = 'signed-out'
    if (path === '/auth/sign-in' || path === '/auth/setup') {
      const body = (await bodyOf(request)).toString('utf8')
      if (body.includes('wrong-password'))
        return json(response, 401, { error: { code: 'console-wrong-password', message: 'No such owner' } })
      who = 'owner'
    }
    if (path.startsWith('/auth/')) return json(response, 200, { account })
    if (path === '/api/images') {
      await bodyOf(request)
      return json(
        response,
        200,
        imageOf('image-new', { name: decodeURIComponent(String(request.headers['x-image-name'])) }),
      )
    }
    const file = await page.answer(path)
    response.writeHead(file?.status ?? 404, file?.headers).end(file?.body)
  }

  const server = createServer((request, response) => {
    if (!open) {
      request.socket.destroy()
      return
    }
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.on('upgrade', (request, socket, head) => {
    if (!open || who !== 'owner') {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
      return
    }
    upgrades.handleUpgrade(request, socket, head, (ws) => {
      sockets.add(ws)
      ws.on('close', () => sockets.delete(ws))
      rpc.connect(ws, { account })
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setAccount: (next) => (who = next),
    online(on) {
      open = on
      if (!on) for (const socket of sockets) socket.terminate()
    },
    stepTry: scripted.stepTry,
    changeDevice: scripted.changeDevice,
    askToJoin: scripted.askToJoin,
    forgetRunning: scripted.forgetRunning,
    tools: scripted.tools,
    access: scripted.access,
    things: scripted.things,
    uart: scripted.uart,
    helpers: scripted.helpers,
    async close() {
      scripted.close()
      for (const socket of sockets) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function json(response: ServerResponse, status: number, value: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function createScript(name: WorldName) {
  const world = createWorld(name)
  const fleet = createLiveFeed<FleetEvent>()
  const jobs = createLiveFeed<JobEvent>()
  const turns = createLiveFeed<TurnEvent>()
  const overview = createLiveFeed<ServerOverview>()
  let tried = 0

  function changeDevice(device: Device) {
    world.devices = [device, ...world.devices.filter((one) => one.id !== device.id)]
    fleet.publish((revision) => ({ type: 'patch', revision, changed: [device], removed: [], pending: world.pending }))
  }
  const publishPending = () =>
    fleet.publish((revision) => ({ type: 'patch', revision, changed: [], removed: [], pending: world.pending }))
  function askToJoin(count: number) {
    world.pending = Array.from({ length: count }, (_, index) => pendingBoard({ code: `481 92${index}` }))
    publishPending()
  }
  function forgetRunning() {
    world.turns = world.turns.filter((turn) => turn.status !== 'running')
  }
  function changeJob(job: Job) {
    world.jobs = [job, ...world.jobs.filter((one) => one.id !== job.id)]
    jobs.publish((revision) => ({ type: 'changed', revision, job }))
  }
  const deviceOr404 = (id: string) => {
    const device = world.devices.find((one) => one.id === id)
    if (!device) throw new AppError('server-not-found', `No device ${id}`)
    return device
  }
  function say(deviceId: string, source: 'voice' | 'typed', text: string) {
    const device = deviceOr404(deviceId)
    const id = `turn-said-${world.turns.length}`
    const begun = { ...runningTurn(id, device, Date.now()), source, userText: text }
    turns.publish((revision) => ({ revision, turn: begun }))
    const finished = { ...spokenTurn(id, device, Date.now()), source, userText: text }
    world.turns = [finished, ...world.turns]
    turns.publish((revision) => ({ revision, turn: finished }))
    return { turnId: id }
  }
  function stepTry() {
    const phase = phases[tried++]
    const running = jobOf({ id: 'try-1', kind: 'try-without-board', title: 'Try without a board', lanes: [] })
    const lane = laneOf('virtual-1', { phase: phase ?? 'hello', bytesDone: tried * 500_000 })
    if (phase) return changeJob({ ...running, progress: tried / 9, lanes: [lane] })
    changeDevice(virtualBoard())
    changeJob({
      ...running,
      state: 'done',
      progress: 1,
      deviceId: 'virtual-1',
      endedAt: Date.now(),
      lanes: [{ ...lane, result: 'proved' }],
    })
  }

  // The page reads the server's clock from here: one that stood still would move its ages back at every ping.
  const overviewNow = () => ({ ...world.overview, uptimeMs: Date.now() - world.overview.startedAt })
  const access = createAccessScript(name)
  const things = createThingScript(name)
  const uart = createUartScript(name)
  const helpers = createHelperScript(name)
  const tools = createToolScript(name, {
    list: () => [],
    ofDevice: ({ deviceId }) => toolsOf(deviceOr404(deviceId)),
    refresh: ({ deviceId }) => toolsOf(deviceOr404(deviceId)),
    publish: ({ name: tool }) => {
      throw new AppError('tool-unknown', `No draft of ${tool}`)
    },
    call: ({ name: tool, arguments: args }) => ({
      ref: `${tool}@3`,
      arguments: args,
      outcome: 'ok',
      result: { status: 'ok' },
      startedAt: Date.now() - 74,
      endedAt: Date.now(),
    }),
  })

  const features: RpcFeatures = {
    ...createModelScript(name).features,
    server: {
      overview: overviewNow,
      watch: (_input, { signal }) => overview.subscribe(signal, { snapshot: overviewNow }),
    },
    fleet: {
      watch: (_input, { signal }) =>
        fleet.subscribe(signal, {
          snapshot: (revision) => ({ type: 'snapshot', revision, devices: world.devices, pending: world.pending }),
        }),
      rename: ({ deviceId, name: next }) => (changeDevice({ ...deviceOr404(deviceId), name: next }), done),
      block: ({ deviceId, blocked }) => (changeDevice({ ...deviceOr404(deviceId), blocked }), done),
      revoke: () => done,
      forget({ deviceId }) {
        world.devices = world.devices.filter((one) => one.id !== deviceId)
        fleet.publish((revision) => ({
          type: 'patch',
          revision,
          changed: [],
          removed: [deviceId],
          pending: world.pending,
        }))
        return done
      },
      control: () => done,
    },
    enrolment: {
      approve() {
        world.pending = []
        publishPending()
        return done
      },
      reject({ code }) {
        world.pending = world.pending.filter((board) => board.code !== code)
        publishPending()
        return done
      },
      makeClaim: () => ({ server: 'https://192.168.8.2:8443', ca: '', claim: 'scripted' }),
      window({ minutes }) {
        world.overview = {
          ...world.overview,
          enrolment: { mode: 'open', openUntil: minutes === 0 ? null : Date.now() + minutes * 60_000 },
        }
        overview.publish(overviewNow())
        return done
      },
    },
    things: things.features,
    uart: uart.features,
    ...helpers.features,
    ...access.features,
    tools: tools.rows,
    talk: {
      type: ({ deviceId, text }) => say(deviceId, 'typed', text),
      async *sound(_input, { signal }) {
        yield { sampleRate: 16_000, pcm: Buffer.alloc(640).toString('base64') }
        yield* createLiveFeed<never>().subscribe(signal)
      },
      speak: ({ deviceId, text }) => (say(deviceId, 'voice', text), done),
      stop: () => done,
    },
    turns: {
      list({ deviceId, text, status, kind, withTools, slowerThanMs, toolRef, before, limit }) {
        const all = world.turns.filter(
          (turn) =>
            (deviceId === undefined || turn.deviceId === deviceId) &&
            (text === undefined || `${turn.userText} ${turn.replyText}`.includes(text)) &&
            (status === undefined || turn.status === status) &&
            (kind === undefined || turnKind(turn) === kind) &&
            (withTools !== true || turn.calls.length > 0) &&
            (toolRef === undefined ||
              turn.toolsOffered.includes(toolRef) ||
              turn.calls.some((call) => call.ref === toolRef)) &&
            (slowerThanMs === undefined || (turn.replyMs ?? 0) > slowerThanMs),
        )
        const from = before === undefined ? 0 : Number(before)
        const next = from + limit < all.length ? String(from + limit) : null
        return { turns: all.slice(from, from + limit), total: all.length, next }
      },
      get({ id }) {
        const turn = world.turns.find((one) => one.id === id)
        if (!turn) throw new AppError('server-not-found', `No turn ${id}`)
        return turn
      },
      async *watch({ deviceId }, { signal }) {
        const running = world.turns.filter((turn) => turn.status === 'running')
        for (const turn of running) yield { revision: 0, turn }
        for await (const event of turns.subscribe(signal))
          if (deviceId === undefined || event.turn.deviceId === deviceId) yield event
      },
    },
    telemetry: {
      series: ({ deviceIds, metric, from, to, columns }) =>
        deviceIds.map((id) => seriesOf(id, metric, { from, to, columns })),
      metrics: () => ['rssi_dbm', 'heap_free_bytes', 'reply_ms', 'temperature_c'],
      events: ({ deviceId }) => [
        { deviceId, at: Date.now() - 300_000, level: 'info', code: 'wifi-joined', message: 'channel 6' },
        {
          deviceId,
          at: Date.now() - 900_000,
          level: 'warn',
          code: 'brown-out',
          message: 'the supply dipped under 3.0 V',
        },
      ],
      async *watch({ deviceId }, { signal }) {
        yield { deviceId: deviceId ?? '', at: Date.now(), metrics: { rssi_dbm: -51, heap_free_bytes: 96_400 } }
        yield* createLiveFeed<never>().subscribe(signal)
      },
    },
    flash: {
      ports: () => world.ports,
      images: () => world.images,
      removeImage({ id }) {
        world.images = world.images.filter((image) => image.id !== id)
        return done
      },
      start({ ports }) {
        changeJob(
          jobOf({
            id: 'job-new',
            lanes: ports.map((one) =>
              laneOf(one, { phase: 'detect', board: null, bytesDone: 0, bytesPerSecond: null }),
            ),
          }),
        )
        return { jobId: 'job-new' }
      },
      tryWithoutBoard: () => (stepTry(), { jobId: 'try-1' }),
    },
    jobs: {
      watch: (_input, { signal }) =>
        jobs.subscribe(signal, { snapshot: (revision) => ({ type: 'snapshot', revision, jobs: world.jobs }) }),
      get: ({ id }) => world.jobs.find((job) => job.id === id) ?? jobOf({ id }),
      cancel: ({ id }) => (changeJob({ ...jobOf({ id }), state: 'cancelled', endedAt: Date.now() }), done),
      retry: ({ id }) => (changeJob(jobOf({ id: `${id}-again` })), { jobId: `${id}-again` }),
      log: ({ after }) => ({
        lines:
          after > 0
            ? []
            : [
                { at: Date.now(), source: 'job', text: 'writing 0x10000, 4 MiB at 921600 baud' },
                { at: Date.now(), source: 'board', text: 'I (2311) wifi: auth -> assoc' },
              ],
        next: 2,
      }),
    },
  }
  const close = () =>
    [fleet, jobs, turns, overview, tools, access, things, uart, helpers].forEach((feed) => feed.close())
  return {
    features,
    stepTry,
    changeDevice,
    askToJoin,
    forgetRunning,
    tools: tools.knobs,
    access: access.knobs,
    things: things.knobs,
    uart: uart.knobs,
    helpers: helpers.knobs,
    close,
  }
}
