import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { Turn, TurnEvent, TurnKind, TurnPage } from './conversation.ts'
import { Device, PendingBoard } from './device.ts'
import { ImageInfo, PortInfo } from './flash.ts'
import { Job, JobEvent, JobLine } from './job.ts'
import { helperRows } from './rpc-helpers.ts'
import { mcpRows } from './rpc-mcp.ts'
import { modelRows } from './rpc-model.ts'
import { thingRows } from './rpc-things.ts'
import { toolRows } from './rpc-tools.ts'
import { uartRows } from './rpc-uart.ts'
import { ServerOverview } from './server-info.ts'
import { BoardEvent, Series, TelemetryTail } from './telemetry.ts'

// The one table of what the console may ask. `watch*` are event iterators: a snapshot first, then changes.

const byDevice = z.object({ deviceId: z.string() })
const done = z.object({ ok: z.literal(true) })

export const FleetEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    revision: z.number().int(),
    devices: z.array(Device),
    pending: z.array(PendingBoard),
  }),
  z.object({
    type: z.literal('patch'),
    revision: z.number().int(),
    changed: z.array(Device),
    removed: z.array(z.string()),
    pending: z.array(PendingBoard),
  }),
])
export type FleetEvent = z.infer<typeof FleetEvent>

/** An image the server holds, by SHA-256. `virtual` is the built-in one for boards without hardware. */
export const LibraryImage = z.object({
  id: z.string(),
  name: z.string(),
  virtual: z.boolean(),
  addedAt: z.number(),
  info: ImageInfo,
})
export type LibraryImage = z.infer<typeof LibraryImage>

export const WifiNetwork = z.object({
  ssid: z.string().min(1).max(32),
  /** Empty = open network. */
  password: z
    .string()
    .max(63)
    .refine((text) => text === '' || text.length >= 8, 'A password has 8 to 63 characters'),
})
export type WifiNetwork = z.infer<typeof WifiNetwork>

export const FlashOrder = z.object({
  ports: z.array(z.string().min(1)).min(1).max(64),
  imageId: z.string(),
  wifi: z.array(WifiNetwork).max(8),
  name: z.string().max(64),
  /** Give the board this server's address, CA and a fresh claim, and wait until it is proved. */
  provision: z.boolean(),
  erase: z.enum(['none', 'all', 'keep-settings']),
})
export type FlashOrder = z.infer<typeof FlashOrder>

/** One frame of what a virtual board's speaker plays: signed 16-bit little-endian mono samples, base64. */
export const SoundFrame = z.object({ sampleRate: z.number().int(), pcm: z.string() })
export type SoundFrame = z.infer<typeof SoundFrame>

export const contract = {
  server: {
    overview: oc.output(ServerOverview),
    watch: oc.output(eventIterator(ServerOverview)),
  },
  fleet: {
    watch: oc.output(eventIterator(FleetEvent)),
    rename: oc.input(byDevice.extend({ name: z.string().trim().min(1).max(64) })).output(done),
    block: oc.input(byDevice.extend({ blocked: z.boolean() })).output(done),
    revoke: oc.input(byDevice).output(done),
    forget: oc.input(byDevice).output(done),
    control: oc.input(byDevice.extend({ action: z.enum(['reboot', 'identify']) })).output(done),
  },
  enrolment: {
    approve: oc.input(z.object({ code: z.string() })).output(done),
    reject: oc.input(z.object({ code: z.string() })).output(done),
    /** What a flasher outside the server writes into one board (iotta-protocol §2.1): `ca` is DER, base64. */
    makeClaim: oc
      .input(z.object({ deviceId: z.string(), name: z.string().max(64).optional() }))
      .output(z.object({ server: z.string(), ca: z.string(), claim: z.string() })),
    /** Opens or closes the window of iotta-protocol §2 (c). */
    window: oc.input(z.object({ minutes: z.number().int().min(0).max(120) })).output(done),
  },
  ...toolRows,
  ...thingRows,
  ...uartRows,
  ...helperRows,
  ...mcpRows,
  ...modelRows,
  talk: {
    /** A typed utterance, answered as a turn. Rejects when the board has no session. */
    type: oc
      .input(byDevice.extend({ text: z.string().trim().min(1).max(500) }))
      .output(z.object({ turnId: z.string() })),
    /** The speaker of a virtual board, for this computer's: frames as they are played, silence is not sent. */
    sound: oc.input(byDevice).output(eventIterator(SoundFrame)),
    /** The board's own microphone hears this text, spoken by the embedded voice: virtual boards only. */
    speak: oc.input(byDevice.extend({ text: z.string().trim().min(1).max(200) })).output(done),
    stop: oc.input(byDevice).output(done),
  },
  turns: {
    list: oc
      .input(
        z.object({
          deviceId: z.string().optional(),
          text: z.string().max(200).optional(),
          status: z.enum(['done', 'aborted', 'failed', 'mute']).optional(),
          kind: TurnKind.optional(),
          withTools: z.boolean().optional(),
          slowerThanMs: z.number().optional(),
          /** Offered or called in the turn: `name@version`. */
          toolRef: z.string().max(80).optional(),
          before: z.string().optional(),
          limit: z.number().int().min(1).max(200),
        }),
      )
      .output(TurnPage),
    get: oc.input(z.object({ id: z.string() })).output(Turn),
    /** Running and finished turns as they change; without `deviceId`, of all boards. */
    watch: oc.input(z.object({ deviceId: z.string().optional() })).output(eventIterator(TurnEvent)),
  },
  telemetry: {
    series: oc
      .input(
        z.object({
          deviceIds: z.array(z.string()).max(100),
          metric: z.string(),
          from: z.number(),
          to: z.number(),
          columns: z.number().int().min(10).max(2000),
        }),
      )
      .output(z.array(Series)),
    metrics: oc.input(z.object({ deviceId: z.string().optional() })).output(z.array(z.string())),
    events: oc
      .input(z.object({ deviceId: z.string(), limit: z.number().int().min(1).max(500) }))
      .output(z.array(BoardEvent)),
    watch: oc.input(z.object({ deviceId: z.string().optional() })).output(eventIterator(TelemetryTail)),
  },
  flash: {
    ports: oc.output(z.array(PortInfo)),
    images: oc.output(z.array(LibraryImage)),
    removeImage: oc.input(z.object({ id: z.string() })).output(done),
    start: oc.input(FlashOrder).output(z.object({ jobId: z.string() })),
    /** "Try without a board": a virtual chip on a serial port is flashed, boots, provisions and says hello. */
    tryWithoutBoard: oc.output(z.object({ jobId: z.string() })),
  },
  jobs: {
    watch: oc.output(eventIterator(JobEvent)),
    get: oc.input(z.object({ id: z.string() })).output(Job),
    cancel: oc.input(z.object({ id: z.string() })).output(done),
    retry: oc.input(z.object({ id: z.string() })).output(z.object({ jobId: z.string() })),
    log: oc
      .input(z.object({ id: z.string(), after: z.number().int().min(0) }))
      .output(z.object({ lines: z.array(JobLine), next: z.number().int() })),
  },
}
