import { AppError, isAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import type { ToolStore } from '../store/store.ts'
import { type BoardToolsList, createBoardToolsList } from './board-tools-list.ts'
import { unwrapResult } from './call-result.ts'
import { createToolChannel, type ToolChannel } from './tool-channel.ts'
import { createBoardAsker } from './tool-handshake.ts'
import type { ProviderCall, ToolProvider } from './tool-provider.ts'
import type { ToolRegistry } from './tool-registry.ts'

/** The boards' own tool channels, a source of tools behind the host. */
export interface DeviceTools extends Required<ToolProvider> {
  /** Takes a board's tool channel; a newer one replaces the older (4409). */
  accept(deviceId: string, socket: DeviceSocket): void
  isReachable(deviceId: string): boolean
  /** Asks the board again what it names; without a channel nothing happens. */
  refresh(deviceId: string): Promise<void>
  /** Answers of this board that nobody waited for since the start: late, doubled, invented or meant for another. */
  droppedAnswers(deviceId: string): number
  /** Closes a board's channel, e.g. 4401 for a revoked token or 1008 for a blocked device. */
  drop(deviceId: string, code: number): void
  /** Closes every channel (1001). */
  close(): void
}

export interface DeviceToolsOptions {
  readonly registry: ToolRegistry
  readonly store: ToolStore
  readonly clock: Clock
  readonly log: Log
  /** Of this server, told to MCP boards. */
  readonly version: string
  /** May what this board advertises be published by itself? See publishesByItself. */
  readonly publishes: (deviceId: string) => boolean
}

/** A little over the time that a board which answers at once needs (iotta-protocol.md §4). */
const askPatienceMs = 1_500

export function createDeviceTools(options: DeviceToolsOptions): DeviceTools {
  const log = options.log.child('tools')
  const channels = new Map<string, ToolChannel>()
  const askBoard = createBoardAsker({ version: options.version, log })
  const listeners = new Set<(deviceId: string | undefined) => void>()
  const lists = createBoardToolsList({ store: options.store, registry: options.registry, log })
  const changed = (deviceId: string) => listeners.forEach((listener) => listener(deviceId))
  /** The last handshake of each board, ended or not. */
  const asking = new Map<string, Promise<void>>()
  const dropped = new Map<string, number>()

  function accept(deviceId: string, socket: DeviceSocket): void {
    const channel = createToolChannel(socket, {
      clock: options.clock,
      log: log.child('channel', { deviceId }),
      onNotification(method) {
        if (method === 'notifications/tools/list_changed') void ask(deviceId, channel)
      },
      // Counted, not announced: a board that floods must not make every list be read anew.
      onDropped: () => void dropped.set(deviceId, (dropped.get(deviceId) ?? 0) + 1),
      onClosed(code) {
        log.info('tool channel closed', { deviceId, code })
        if (channels.get(deviceId) !== channel) return
        channels.delete(deviceId)
        changed(deviceId)
      },
    })
    const older = channels.get(deviceId)
    channels.set(deviceId, channel)
    older?.close(4409)
    changed(deviceId)
    asking.set(deviceId, ask(deviceId, channel))
  }

  const ask = (deviceId: string, channel: ToolChannel) =>
    learn(deviceId, channel, { ...options, lists, askBoard, changed }).catch((error: unknown) => {
      if (!isAppError(error, 'tool-disconnected')) log.warn('asking a board for its tools failed', { deviceId, error })
    })

  return {
    id: 'board',
    accept,
    isReachable: (deviceId) => channels.has(deviceId),
    async offers(deviceId) {
      const offers = await lists.offers(deviceId, channels.has(deviceId))
      const lateAnswers = dropped.get(deviceId)
      return lateAnswers === undefined ? offers : offers.map((offer) => ({ ...offer, lateAnswers }))
    },
    settled: async (deviceId) => {
      const asked = asking.get(deviceId)
      if (asked && (await lists.names(deviceId)).size === 0) await patiently(asked, options.clock)
    },
    call: (call) => callBoard(channels.get(call.deviceId), call),
    refresh: async (deviceId) => {
      const channel = channels.get(deviceId)
      if (channel) await ask(deviceId, channel)
    },
    droppedAnswers: (deviceId) => dropped.get(deviceId) ?? 0,
    drop: (deviceId, code) => channels.get(deviceId)?.close(code),
    onChange: (listener) => void listeners.add(listener),
    close: () => [...channels.values()].forEach((channel) => channel.close(1001)),
  }
}

interface LearnParts extends Pick<DeviceToolsOptions, 'registry' | 'publishes'> {
  readonly lists: BoardToolsList
  readonly askBoard: ReturnType<typeof createBoardAsker>
  readonly changed: (deviceId: string) => void
}

async function learn(deviceId: string, channel: ToolChannel, parts: LearnParts): Promise<void> {
  const answer = await parts.askBoard(channel)
  const publish = parts.publishes(deviceId)
  for (const advert of answer.listed) await parts.registry.takeOver(advert, { deviceId, publish })
  await parts.lists.learn(deviceId, answer)
  parts.changed(deviceId)
}

/** Whoever speaks to a board in its first second is understood: what it names is just being asked. */
async function patiently(asked: Promise<void>, clock: Clock): Promise<void> {
  await Promise.race([asked, new Promise<void>((resolve) => clock.after(askPatienceMs, resolve))])
}

async function callBoard(channel: ToolChannel | undefined, call: ProviderCall) {
  if (!channel) throw new AppError('tool-unreachable', 'The board has no tool channel open; nothing was sent')
  const params = { name: call.tool.name, arguments: call.arguments }
  const { timeoutMs, signal } = call
  const answer = unwrapResult(await channel.request('tools/call', params, { timeoutMs, signal }))
  if (!answer.ok) throw new AppError('tool-failed', answer.message)
  return answer.value
}
