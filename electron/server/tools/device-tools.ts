import { type AppError, isAppError, toAppError } from '../../base/app-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { DeviceSocket } from '../../base/device-socket.ts'
import type { Log } from '../../base/log.ts'
import { type DeviceTool, type ToolCall, type ToolOutcome, toolRef, type ToolVersion } from '../../contract/tool.ts'
import type { ToolStore } from '../store/store.ts'
import { createBoardToolsList, type BoardToolsList } from './board-tools-list.ts'
import { unwrapResult } from './call-result.ts'
import type { SchemaChecker } from './json-schema.ts'
import { createToolChannel, type ToolChannel } from './tool-channel.ts'
import { createBoardAsker } from './tool-handshake.ts'
import type { ToolRegistry } from './tool-registry.ts'

export interface CallRequest {
  readonly deviceId: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The version a turn offered; else the newest published one. */
  readonly tool?: ToolVersion | undefined
  readonly signal?: AbortSignal | undefined
}

export interface DeviceTools {
  /** Takes a board's tool channel; a newer one replaces the older (4409). */
  accept(deviceId: string, socket: DeviceSocket): void
  isReachable(deviceId: string): boolean
  /** What the board names, also while it is unreachable. */
  list(deviceId: string): Promise<DeviceTool[]>
  /** The published versions of what the board names, reachable or not: what a turn may offer. */
  vocabulary(deviceId: string): Promise<ToolVersion[]>
  /** Asks the board again; without a channel the stored list. */
  refresh(deviceId: string): Promise<DeviceTool[]>
  /** Validates, sends, validates. Never rejects: whatever happens is the outcome. */
  callTool(request: CallRequest): Promise<ToolCall>
  /** Closes a board's channel, e.g. 4401 for a revoked token or 1008 for a blocked device. */
  drop(deviceId: string, code: number): void
  /** The list or the reachability of a board changed. */
  onChange(listener: (deviceId: string) => void): void
  /** Closes every channel (1001). */
  close(): void
}

export interface DeviceToolsOptions {
  readonly registry: ToolRegistry
  readonly checker: SchemaChecker
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
  const listeners = new Set<(deviceId: string) => void>()
  const lists = createBoardToolsList({ store: options.store, registry: options.registry, log })
  const changed = (deviceId: string) => listeners.forEach((listener) => listener(deviceId))
  const list = async (deviceId: string) => lists.tools(deviceId, channels.has(deviceId))
  // The last handshake of each board, ended or not.
  const asking = new Map<string, Promise<void>>()

  function accept(deviceId: string, socket: DeviceSocket): void {
    const channel = createToolChannel(socket, {
      clock: options.clock,
      log: log.child('channel', { deviceId }),
      onNotification(method) {
        if (method === 'notifications/tools/list_changed') void ask(deviceId, channel)
      },
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

  async function ask(deviceId: string, channel: ToolChannel): Promise<void> {
    try {
      const answer = await askBoard(channel)
      const publish = options.publishes(deviceId)
      for (const advert of answer.listed) await options.registry.takeOver(advert, { deviceId, publish })
      await lists.learn(deviceId, answer)
      changed(deviceId)
    } catch (error) {
      if (!isAppError(error, 'tool-disconnected')) log.warn('asking a board for its tools failed', { deviceId, error })
    }
  }

  return {
    accept,
    isReachable: (deviceId) => channels.has(deviceId),
    list,
    vocabulary: (deviceId) => firstVocabulary(deviceId, { lists, asked: asking.get(deviceId), clock: options.clock }),
    async refresh(deviceId) {
      const channel = channels.get(deviceId)
      if (channel) await ask(deviceId, channel)
      return list(deviceId)
    },
    async callTool(request) {
      return callOnce(request, { ...options, lists, channel: channels.get(request.deviceId) })
    },
    drop: (deviceId, code) => channels.get(deviceId)?.close(code),
    onChange: (listener) => void listeners.add(listener),
    close() {
      for (const channel of [...channels.values()]) channel.close(1001)
    },
  }
}

/** Whoever speaks to a board in its first second is understood: what it names is just being asked. */
async function firstVocabulary(
  deviceId: string,
  { lists, asked, clock }: { lists: BoardToolsList; asked: Promise<void> | undefined; clock: Clock },
): Promise<ToolVersion[]> {
  const known = await lists.vocabulary(deviceId)
  if (known.length > 0 || !asked) return known
  await Promise.race([asked, new Promise<void>((resolve) => clock.after(askPatienceMs, resolve))])
  return lists.vocabulary(deviceId)
}

interface CallParts extends Pick<DeviceToolsOptions, 'registry' | 'checker' | 'clock'> {
  readonly lists: BoardToolsList
  readonly channel: ToolChannel | undefined
}

async function callOnce(request: CallRequest, parts: CallParts): Promise<ToolCall> {
  const startedAt = parts.clock.now()
  const tool = request.tool ?? parts.registry.published(request.name)
  const base = {
    ref: tool ? toolRef(tool) : request.name,
    // A copy: what is recorded is what was sent.
    arguments: structuredClone(request.arguments),
    startedAt,
  }
  const failed = (error: Pick<AppError, 'code' | 'message'>): ToolCall => ({
    ...base,
    outcome: outcomeOf(error.code),
    errorCode: error.code,
    errorMessage: error.message,
    endedAt: parts.clock.now(),
  })
  try {
    if (!tool || !(await parts.lists.names(request.deviceId)).has(request.name)) {
      return failed({ code: 'tool-unknown', message: `The board offers no published tool "${request.name}"` })
    }
    const bad = parts.checker.fault(tool.arguments, request.arguments)
    if (bad) return failed({ code: 'tool-bad-arguments', message: `${bad.path || 'arguments'} ${bad.message}` })
    if (!parts.channel) {
      return failed({ code: 'tool-unreachable', message: 'The board has no tool channel open; nothing was sent' })
    }
    const params = { name: tool.name, arguments: base.arguments }
    const { timeoutMs } = tool
    const answer = unwrapResult(
      await parts.channel.request('tools/call', params, { timeoutMs, signal: request.signal }),
    )
    if (!answer.ok) return failed({ code: 'tool-failed', message: answer.message })
    const worse = tool.result ? parts.checker.fault(tool.result, answer.value) : undefined
    if (worse) return failed({ code: 'tool-bad-result', message: `${worse.path || 'result'} ${worse.message}` })
    return { ...base, outcome: 'ok', result: answer.value, endedAt: parts.clock.now() }
  } catch (error) {
    return failed(toAppError(error))
  }
}

/** `refused`: nothing was sent, and by our decision. */
function outcomeOf(code: AppError['code']): ToolOutcome {
  if (code === 'tool-timeout') return 'timeout'
  if (code === 'tool-cancelled') return 'cancelled'
  return ['tool-unknown', 'tool-bad-arguments', 'tool-too-many', 'tool-needs-consent'].includes(code)
    ? 'refused'
    : 'failed'
}
