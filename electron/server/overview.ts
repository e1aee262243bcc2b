import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createLiveFeed } from '../base/live-feed.ts'
import type { ServerOverview, ServerWarning } from '../contract/server-info.ts'
import type { Devices } from './devices/devices.ts'
import type { Enrolment } from './devices/enrolment.ts'
import { lanAddresses, ownAddresses } from './http/addresses.ts'
import type { Certificates } from './http/certificates.ts'
import type { HttpServer } from './http/http-server.ts'
import type { Sessions } from './session/sessions.ts'
import type { Store } from './store/store.ts'
import type { Voice } from './voice.ts'
import { isLoopbackHost, type ServerConfig } from './config.ts'

interface Parts {
  readonly config: ServerConfig
  readonly version: string
  readonly startedAt: number
  readonly lastStop: ServerOverview['lastStop']
  readonly store: Store
  readonly devices: Devices
  readonly sessions: Sessions
  readonly enrolment: Enrolment
  readonly certificates: Certificates
  readonly voice: Voice
  readonly http: HttpServer
  /** A store that is in trouble, as a warning; empty when all is well. */
  readonly troubles: () => ServerWarning[]
}

export interface Overview {
  now(): Promise<ServerOverview>
  /** One at once, then one each two seconds while somebody looks. */
  watch(signal: AbortSignal): AsyncIterable<ServerOverview>
  close(): void
}

const everyMs = 2_000
const nanosecondsPerMs = 1e6

export function createOverview(parts: Parts): Overview {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const feed = createLiveFeed<ServerOverview>()
  const timer = setInterval(() => {
    if (feed.subscribers > 0)
      void describe(parts, delay.percentile(99)).then(
        (overview) => feed.publish(overview),
        () => undefined,
      )
    // A window of its own for each figure: an hour-old hiccup is not news.
    delay.reset()
  }, everyMs)
  timer.unref()
  const now = () => describe(parts, delay.percentile(99))

  async function* watch(signal: AbortSignal): AsyncIterable<ServerOverview> {
    const changes = feed.subscribe(signal, { key: () => 'overview' })
    yield await now()
    yield* changes
  }

  return {
    now,
    watch,
    close() {
      clearInterval(timer)
      delay.disable()
      feed.close()
    },
  }
}

async function describe(parts: Parts, delayNs: number): Promise<ServerOverview> {
  const { config, devices, sessions, certificates, http, store, enrolment } = parts
  const list = devices.list()
  const phases = sessions.all().map((session) => session.phase)
  const isLoopback = isLoopbackHost(config.host)
  return {
    version: parts.version,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    startedAt: parts.startedAt,
    uptimeMs: Date.now() - parts.startedAt,
    dataDir: config.dataDir,
    addresses: isLoopback ? [] : lanAddresses(ownAddresses()),
    ports: http.ports,
    consoleUrls: http.consoleUrls(),
    caFingerprint: certificates.fingerprint,
    certificateExpiresAt: certificates.expiresAt(),
    rssBytes: process.memoryUsage.rss(),
    loopDelayP99Ms: Number.isFinite(delayNs) ? Math.max(0, Math.round((delayNs / nanosecondsPerMs - 10) * 10) / 10) : 0,
    devices: list.length,
    online: list.filter((device) => device.presence.online).length,
    talking: phases.filter((phase) => phase === 'listening' || phase === 'thinking' || phase === 'speaking').length,
    turnsStored: await store.turns.count(),
    databaseBytes: await store.sizeBytes(),
    engines: parts.voice.engines(),
    warnings: [...certificates.warnings(), ...parts.troubles()],
    lastStop: parts.lastStop,
    enrolment: enrolment.status(),
    listeningOnLan: !isLoopback,
  }
}
