import type { Turn } from '../../electron/contract/conversation.ts'
import type { Device, PendingBoard } from '../../electron/contract/device.ts'
import type { PortInfo } from '../../electron/contract/flash.ts'
import type { Job } from '../../electron/contract/job.ts'
import type { LibraryImage } from '../../electron/contract/rpc.ts'
import type { ServerOverview } from '../../electron/contract/server-info.ts'
import type { Series } from '../../electron/contract/telemetry.ts'
import type { DeviceTool, ToolVersion } from '../../electron/contract/tool.ts'
import { failedJob, imageOf, jobOf, portOf } from './console-flash.ts'
import { failedTurn, runningTurn, spokenTurn } from './console-turns.ts'

// Test support: what a scripted server knows. Three worlds for page tests: nothing yet, a busy class, and one where
// much has gone wrong. Values come from the index, so two runs show the same page.

export type WorldName = 'empty' | 'busy' | 'failed'

export interface World {
  devices: Device[]
  pending: PendingBoard[]
  turns: Turn[]
  jobs: Job[]
  ports: PortInfo[]
  images: LibraryImage[]
  overview: ServerOverview
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const names = ['小明的灯', '小红', 'Board 03', 'Ada', '阿杰', 'Board 06', 'Window seat', '讲台', 'Mina', 'Board 10']

export function deviceOf(index: number, over: Partial<Device> = {}): Device {
  const online = index % 9 !== 4
  const states = ['idle', 'idle', 'listening', 'idle', 'thinking', 'speaking'] as const
  return {
    id: `7c:df:a1:00:00:${index.toString(16).padStart(2, '0')}`,
    name: names[index] ?? `Board ${index + 1}`,
    board: index % 4 === 3 ? 'esp32-s3-devkitc-1' : 'esp32-s3-box-3',
    firmware: { name: 'roost-voice', version: index % 7 === 5 ? '2.3.0' : '2.4.1' },
    state: online ? (states[index % states.length] ?? 'idle') : 'offline',
    presence: online
      ? { online, evidence: 'session', ageMs: 900 + index * 130 }
      : { online, evidence: 'none', ageMs: 8 * MINUTE + index * 1_000 },
    toolChannel: online,
    virtual: false,
    blocked: false,
    enrolledBy: 'claim',
    address: `192.168.8.${40 + index}`,
    security: online ? 'tls' : null,
    sessionSince: online ? Date.now() - 2 * HOUR : null,
    createdAt: Date.now() - 20 * DAY,
    lastSeenAt: Date.now(),
    rssiDbm: online ? -46 - ((index * 7) % 36) : null,
    heapFreeBytes: online ? 96_000 + index * 512 : null,
    replyMs: online ? 620 + ((index * 173) % 1_900) : null,
    counters: { dropped_in: 0, dropped_out: index % 5 === 2 ? 2 : 0 },
    notice: null,
    ...over,
  }
}

export const virtualBoard = (over: Partial<Device> = {}): Device =>
  deviceOf(200, {
    id: 'virtual-1',
    name: 'Virtual board',
    board: 'virtual-s3',
    virtual: true,
    state: 'idle',
    presence: { online: true, evidence: 'session', ageMs: 400 },
    toolChannel: true,
    security: 'loopback',
    address: '127.0.0.1',
    rssiDbm: -42,
    replyMs: 430,
    sessionSince: Date.now() - 4 * MINUTE,
    ...over,
  })

function overviewOf(over: Partial<ServerOverview> = {}): ServerOverview {
  return {
    version: '0.1.0',
    node: '24.21.0',
    platform: 'linux x64',
    startedAt: Date.now() - 3 * DAY,
    uptimeMs: 3 * DAY,
    dataDir: '/home/owner/.local/share/roost',
    addresses: ['192.168.8.2'],
    ports: { https: 8443, loopback: 8444 },
    consoleUrls: ['https://roost.local:8443', 'https://192.168.8.2:8443'],
    caFingerprint: Array.from({ length: 32 }, (_, index) => ((index * 37 + 63) % 256).toString(16).padStart(2, '0'))
      .join(':')
      .toUpperCase(),
    certificateExpiresAt: Date.now() + 312 * DAY,
    rssBytes: 182_000_000,
    loopDelayP99Ms: 11.4,
    devices: 0,
    online: 0,
    talking: 0,
    turnsStored: 0,
    databaseBytes: 12_400_000,
    engines: [
      { role: 'hear', name: 'PocketSphinx', languages: ['en'], state: 'ready', code: null },
      { role: 'think', name: 'matcher', languages: ['en', 'zh'], state: 'ready', code: null },
      { role: 'speak', name: 'flite', languages: ['en'], state: 'ready', code: null },
      { role: 'vad', name: 'silero', languages: [], state: 'ready', code: null },
      { role: 'codec', name: 'libopus', languages: [], state: 'ready', code: null },
      { role: 'flasher', name: 'flasher', languages: [], state: 'ready', code: null },
    ],
    warnings: [],
    lastStop: 'clean',
    enrolment: { mode: 'approve', openUntil: null },
    listeningOnLan: true,
    ...over,
  }
}

export const pendingBoard = (over: Partial<PendingBoard> = {}): PendingBoard => ({
  code: '481 920',
  deviceId: '7c:df:a1:99:00:01',
  board: 'esp32-s3-box-3',
  firmware: { name: 'roost-voice', version: '2.4.1' },
  address: '192.168.8.77',
  ageMs: 4_000,
  expiresInMs: 9 * MINUTE,
  knownDevice: false,
  duplicates: 1,
  ...over,
})

export function createWorld(name: WorldName): World {
  if (name === 'empty')
    return {
      devices: [],
      pending: [],
      turns: [],
      jobs: [],
      ports: [],
      images: [],
      overview: overviewOf({ lastStop: 'first-start' }),
    }
  const busy = name === 'busy'
  const board = virtualBoard(
    busy
      ? {}
      : { state: 'offline', presence: { online: false, evidence: 'none', ageMs: 12 * MINUTE }, toolChannel: false },
  )
  const broken = (index: number): Partial<Device> =>
    index % 3 === 0 ? { rssiDbm: -83, heapFreeBytes: 21_000, replyMs: 4_200 } : index === 1 ? { blocked: true } : {}
  const real = Array.from({ length: 30 }, (_, index) => deviceOf(index, busy ? {} : broken(index)))
  const devices = [board, ...real]
  const turns = Array.from({ length: 140 }, (_, index) => {
    const device = devices[index % 7] ?? board
    const at = Date.now() - (index + 1) * 3 * MINUTE
    return !busy && index % 2 === 0 ? failedTurn(`turn-${index}`, device, at) : spokenTurn(`turn-${index}`, device, at)
  })
  const figures = { devices: 31, online: busy ? 28 : 26, talking: busy ? 3 : 0, turnsStored: 140 }
  return {
    devices,
    pending: busy ? [pendingBoard()] : [],
    turns: busy ? [runningTurn('turn-now', board, Date.now() - 1_500), ...turns] : turns,
    jobs: busy
      ? [jobOf()]
      : [
          failedJob(),
          jobOf({
            id: 'job-0',
            title: 'Flash roost-voice 2.3.0',
            state: 'parked',
            retryable: true,
            endedAt: Date.now() - HOUR,
          }),
        ],
    ports: busy
      ? [portOf('/dev/ttyUSB0'), portOf('/dev/ttyUSB1', { hubPath: '1-2.4', serialNumber: null })]
      : [portOf('/dev/ttyUSB0'), portOf('/dev/ttyUSB3', { usable: false, reason: 'flash-no-permission' })],
    images: [
      imageOf(
        'image-1',
        {},
        busy ? {} : { problems: [{ code: 'image-wrong-chip', message: 'chip id 5 is not ESP32-S3', fatal: true }] },
      ),
      imageOf('image-v', { name: 'virtual-board.bin', virtual: true }),
    ],
    overview: busy
      ? overviewOf(figures)
      : overviewOf({
          ...figures,
          lastStop: 'unclean',
          certificateExpiresAt: Date.now() + 9 * DAY,
          warnings: [{ code: 'server-disk-full', detail: '120 MiB left' }],
          engines: overviewOf().engines.map((engine) =>
            engine.role === 'hear' ? { ...engine, state: 'missing', code: 'voice-recogniser-missing' } : engine,
          ),
        }),
  }
}

const spoken = { target: { en: [], zh: [] }, parameters: {}, values: {}, reply: {} }

function toolOf(name: string, over: Partial<ToolVersion>): ToolVersion {
  return {
    name,
    version: 3,
    status: 'published',
    description: '',
    arguments: { type: 'object', properties: {} },
    result: null,
    danger: 'harmless',
    idempotent: true,
    timeoutMs: 5_000,
    speech: spoken,
    createdAt: Date.now() - DAY,
    origin: 'born',
    ...over,
  }
}

export const toolsOf = (device: Device): DeviceTool[] => [
  {
    name: 'set_lamp',
    reachable: device.toolChannel,
    source: 'declared',
    provider: null,
    withheld: null,
    tool: toolOf('set_lamp', {
      description: 'Turn the lamp on or off and set its brightness.',
      arguments: {
        type: 'object',
        required: ['on'],
        properties: {
          on: { type: 'boolean', description: 'True turns it on.' },
          brightness: { type: 'integer', minimum: 0, maximum: 100, default: 80, description: 'Percent' },
          scene: {
            oneOf: [
              { title: 'Name', type: 'string' },
              { title: 'Number', type: 'integer' },
            ],
          },
        },
      },
    }),
  },
  {
    name: 'read_temperature',
    reachable: device.toolChannel,
    source: 'declared',
    provider: null,
    withheld: null,
    lateAnswers: 2,
    tool: toolOf('read_temperature', { version: 1, danger: 'read', description: 'Temperature at the board in °C.' }),
  },
  {
    name: 'open_door',
    reachable: false,
    source: 'listed',
    provider: null,
    withheld: null,
    tool: toolOf('open_door', { version: 1, status: 'draft', danger: 'physical', description: 'Opens the door.' }),
  },
]

/** A wave with a hole in it, so that gaps are seen too. */
export function seriesOf(
  deviceId: string,
  metric: string,
  range: { from: number; to: number; columns: number },
): Series {
  const seed = Buffer.from(deviceId).reduce((sum, byte) => sum + byte, 0)
  const base: Record<string, readonly [number, number]> = {
    rssi_dbm: [-56, 12],
    heap_free_bytes: [98_000, 9_000],
    reply_ms: [1_100, 480],
    temperature_c: [41, 3],
  }
  const [middle, swing] = base[metric] ?? [10, 4]
  const step = (range.to - range.from) / range.columns
  const columns = Array.from({ length: range.columns }, (_, index) => {
    const mean = middle + swing * Math.sin((index + seed) / 9) + swing * 0.4 * Math.sin((index * seed) / 5)
    return { at: range.from + (index + 0.5) * step, mean, min: mean - swing * 0.2, max: mean + swing * 0.3, count: 4 }
  }).filter((_, index) => index < range.columns * 0.55 || index > range.columns * 0.62)
  return { deviceId, metric, from: range.from, to: range.to, columns }
}
