import { AppError } from '../../base/app-error.ts'
import { pause } from '../../base/deadline.ts'
import type { BoardFacts } from '../../contract/flash.ts'
import { type BoardSettings, settingsSecrets } from '../firmware/board-settings.ts'
import { chipName } from '../firmware/esp-header.ts'
import { hardReset } from './board-reset.ts'
import { createBoardWait } from './board-wait.ts'
import { createBootWatch, judgeBoot } from './boot-watch.ts'
import { allowBoot, eraseAll, readSecurityInfo, romChipName } from './chip-commands.ts'
import { type ChipSession, createChipSession, romBaud } from './chip-session.ts'
import type { CompressedPiece } from './compress.ts'
import { inspectBoard, viewBoard } from './inspect.ts'
import type { LaneOutcome } from './lane-event.ts'
import type { LaneSetup, LaneTools } from './lane-setup.ts'
import type { Effect, Input } from './lane-machine.ts'
import { resolvePlan } from './plan.ts'
import { createProgress } from './progress.ts'
import { verifyPiece, writePiece } from './region-writer.ts'
import { findBootText, op } from './rom-protocol.ts'
import { createMask } from './secret-mask.ts'
import { type SerialLink, openSerialLink } from './serial-link.ts'

const defaultBaud = 921_600
const boardTimeoutMs = 60_000
const bannerLimitMs = 2500
/** After the banner, silence of this length ends the reading of boot text. */
const bannerQuietMs = 250
const bannerMaxMs = 1500

/** The effects of lane-machine.ts on one port. */
export interface LaneSteps {
  /** Throws AppError; the lane makes a `failed` of it. */
  perform(effect: Effect): Promise<Input>
  retried(reason: 'checksum' | 'restart' | 'reboot'): void
  boardSaid(what: 'provisioned' | 'heard'): void
  masked(text: string): string
  report(): Pick<LaneOutcome, 'mac' | 'board' | 'retries' | 'degraded' | 'noiseBytes'>
  /** Releases the port; idempotent. */
  close(): Promise<void>
}

export function createLaneSteps(setup: LaneSetup, tools: LaneTools & { readonly signal: AbortSignal }): LaneSteps {
  const { signal, onEvent } = tools
  const wait = createBoardWait(setup.boardTimeoutMs ?? boardTimeoutMs, signal)
  const mask = createMask(setup.request.settings ? settingsSecrets(setup.request.settings) : [])
  const boot = createBootWatch((text) => onEvent({ type: 'line', text: mask.apply(text) }))
  let link: SerialLink | undefined
  let session: ChipSession | undefined
  let board: BoardFacts | undefined
  let revision = 0
  let extra: BoardSettings | undefined
  let pieces: readonly CompressedPiece[] = []
  let retries = 0
  let degraded = false
  let noiseBytes = 0

  const openLink = (): SerialLink => {
    if (!link) throw new AppError('flash-protocol', 'The port is not open')
    return link
  }
  const running = (): ChipSession => {
    if (!session) throw new AppError('flash-protocol', 'The board is not connected')
    return session
  }

  function endSession(): void {
    if (!session) return
    noiseBytes += session.client.noiseBytes
    session.end()
    session = undefined
  }

  function retried(reason: 'checksum' | 'restart' | 'reboot'): void {
    retries += 1
    onEvent({ type: 'retry', reason, retries })
  }

  async function open(): Promise<Input> {
    const binding = setup.binding ? { binding: setup.binding } : {}
    link = await openSerialLink({ path: setup.port, baud: romBaud, ...binding })
    return { type: 'opened' }
  }

  async function connect(): Promise<Input> {
    endSession()
    await openLink().setBaud(romBaud)
    session = createChipSession({ link: openLink(), style: setup.style, signal })
    await session.connect()
    const { client } = session
    // A stub left over by a broken session knows nothing about security, but the ROM let it start.
    const security = client.stub ? { flags: 0, cryptCount: 0, chipId: 9 } : await readSecurityInfo(client)
    const chip = security ? chipName(security.chipId) : await romChipName(client)
    return { type: 'connected', security, chip }
  }

  async function describe(): Promise<Input> {
    const chip = running()
    const wanted = setup.baud ?? defaultBaud
    const found = await inspectBoard(chip, wanted)
    revision = found.revision
    board = found.board
    degraded ||= chip.baud < wanted
    onEvent({ type: 'speed', baud: chip.baud, degraded })
    onEvent({ type: 'board', board })
    return { type: 'described', board }
  }

  async function askSettings(): Promise<Input> {
    if (setup.settingsFor && board && !extra) {
      extra = await setup.settingsFor(board, signal)
      mask.add(settingsSecrets(extra))
    }
    return { type: 'settled' }
  }

  async function compare(): Promise<Input> {
    const settings = { ...setup.request.settings, ...extra }
    const request = { ...setup.request, settings }
    const view = await viewBoard(running(), request, { flashSize: board?.flashSize ?? 0, revision })
    const plan = resolvePlan(request, view)
    const made = await Promise.all(plan.regions.map((region) => tools.compressor.compress(region, running().blockSize)))
    pieces = made.flat()
    signal.throwIfAborted()
    return { type: 'planned', eraseAll: plan.eraseAll }
  }

  async function write(): Promise<Input> {
    const progress = createProgress(pieces, onEvent)
    for (const piece of pieces) {
      await writePiece(running(), piece, { onProgress: (bytes) => progress.inPiece(bytes), onRetry: retried })
      progress.pieceDone(piece)
    }
    return { type: 'written' }
  }

  async function verify(): Promise<Input> {
    const progress = createProgress(pieces, onEvent)
    for (const piece of pieces) {
      await verifyPiece(running(), piece)
      progress.pieceDone(piece)
    }
    return { type: 'verified' }
  }

  /** From here on the port carries text of the firmware. */
  async function reset(): Promise<Input> {
    const chip = running()
    await allowBoot(chip.client)
    const { hasLines } = chip
    chip.client.watchResets = false
    if (!hasLines) {
      await chip.client.send(op.runUserCode, [])
      await openLink().drain()
    }
    endSession()
    openLink().onData((bytes) => boot.push(bytes))
    await openLink().setBaud(romBaud)
    if (hasLines) await hardReset(openLink())
    return { type: 'restarted' }
  }

  async function readBanner(): Promise<Input> {
    const startedAt = performance.now()
    const since = (time: number) => performance.now() - time
    while (!findBootText(boot.text()) && since(startedAt) < bannerLimitMs && !signal.aborted) await pause(20, signal)
    const bannerAt = performance.now()
    while (since(boot.lastAt) < bannerQuietMs && since(bannerAt) < bannerMaxMs && !signal.aborted)
      await pause(20, signal)
    boot.flush()
    return { type: 'booted', trouble: judgeBoot(boot.text()) }
  }

  /** A board that cannot be flashed goes on running what it holds. */
  async function leave(): Promise<Input> {
    const connected = session !== undefined && session.hasLines
    endSession()
    if (link && connected) {
      await link.setBaud(romBaud).catch(() => undefined)
      await hardReset(link).catch(() => undefined)
    }
    return { type: 'left' }
  }

  function perform(effect: Effect): Promise<Input> {
    switch (effect.do) {
      case 'open':
        return open()
      case 'connect':
        return connect()
      case 'describe':
        return describe()
      case 'ask-settings':
        return askSettings()
      case 'compare':
        return compare()
      case 'erase':
        return eraseAll(running().client).then(() => ({ type: 'erased' }))
      case 'write':
        return write()
      case 'verify':
        return verify()
      case 'reset':
        return reset()
      case 'read-banner':
        return readBanner()
      case 'await-board':
        return wait.next()
      case 'leave':
        return leave()
    }
  }

  return {
    perform,
    retried,
    boardSaid: (what) => wait.said(what),
    masked: (text) => mask.apply(text),
    report: () => ({
      mac: board?.mac ?? null,
      board: board ?? null,
      retries,
      degraded,
      noiseBytes: noiseBytes + (session?.client.noiseBytes ?? 0),
    }),
    async close() {
      endSession()
      await link?.close()
    },
  }
}
