import { pause } from '../../base/deadline.ts'
import { settingsSecrets } from '../firmware/board-settings.ts'
import { chipName } from '../firmware/esp-header.ts'
import { hardReset } from './board-reset.ts'
import { judgeBoot } from './boot-watch.ts'
import { allowBoot, eraseAll, readSecurityInfo, romChipName } from './chip-commands.ts'
import { changeBaud, connect, createChipSession, romBaud } from './chip-session.ts'
import { inspectBoard, viewBoard } from './inspect.ts'
import { type LaneRun, countRetry, endSession, linkOf, sessionOf } from './lane-run.ts'
import type { Effect, Input } from './lane-machine.ts'
import { resolvePlan } from './plan.ts'
import { createProgress } from './progress.ts'
import { verifyPiece, writePiece } from './region-writer.ts'
import { findBootText, op } from './rom-protocol.ts'
import { openSerialLink } from './serial-link.ts'

const defaultBaud = 921_600
const bannerLimitMs = 2500
/** After the banner, silence of this length ends the reading of boot text. */
const bannerQuietMs = 250
const bannerMaxMs = 1500

/** The effects of lane-machine.ts that touch the port. They throw AppError; the lane makes a `failed` of it. */
export const laneSteps: Readonly<Record<Exclude<Effect['do'], 'await-board'>, (run: LaneRun) => Promise<Input>>> = {
  open,
  connect: connectBoard,
  describe,
  'ask-settings': askSettings,
  compare,
  erase,
  write,
  verify,
  reset,
  'read-banner': readBanner,
  leave,
}

async function open(run: LaneRun): Promise<Input> {
  const { port, binding } = run.setup
  run.link = await openSerialLink({ path: port, baud: romBaud, ...(binding ? { binding } : {}) })
  return { type: 'opened' }
}

async function connectBoard(run: LaneRun): Promise<Input> {
  endSession(run)
  await linkOf(run).setBaud(romBaud)
  const session = createChipSession({ link: linkOf(run), style: run.setup.style, signal: run.tools.signal })
  run.session = session
  await connect(session)
  // A stub left over by a broken session was let in by the ROM: a secured chip would not have started it.
  if (session.client.stub)
    return { type: 'connected', security: { flags: 0, cryptCount: 0, chipId: 9 }, chip: chipName(9) }
  const security = await readSecurityInfo(session.client)
  const chip = security ? chipName(security.chipId) : await romChipName(session.client)
  return { type: 'connected', security, chip }
}

async function describe(run: LaneRun): Promise<Input> {
  const session = sessionOf(run)
  const wanted = run.setup.baud ?? defaultBaud
  const { board, revision } = await inspectBoard(session, wanted)
  run.board = board
  run.revision = revision
  run.degraded ||= session.baud < wanted
  run.tools.onEvent({ type: 'speed', baud: session.baud, degraded: run.degraded })
  run.tools.onEvent({ type: 'board', board })
  return { type: 'described', board }
}

async function askSettings(run: LaneRun): Promise<Input> {
  const { setup, board, tools } = run
  if (setup.settingsFor && board && !run.extra) {
    run.extra = await setup.settingsFor(board, tools.signal)
    run.mask.add(settingsSecrets(run.extra))
  }
  sessionOf(run).client.channel.check()
  return { type: 'settled' }
}

async function compare(run: LaneRun): Promise<Input> {
  const session = sessionOf(run)
  const request = { ...run.setup.request, settings: { ...run.setup.request.settings, ...run.extra } }
  const facts = { flashSize: run.board?.flashSize ?? 0, revision: run.revision }
  const plan = resolvePlan(request, await viewBoard(session, request, facts))
  const { compressor } = run.tools
  const made = await Promise.all(plan.regions.map((region) => compressor.compress(region, session.blockSize)))
  run.pieces = made.flat()
  session.client.channel.check()
  return { type: 'planned', eraseAll: plan.eraseAll }
}

async function erase(run: LaneRun): Promise<Input> {
  await eraseAll(sessionOf(run).client)
  return { type: 'erased' }
}

async function write(run: LaneRun): Promise<Input> {
  const progress = createProgress(run.pieces, run.tools.onEvent)
  for (const piece of run.pieces) {
    await writePiece(sessionOf(run), piece, {
      onProgress: (bytes) => progress.inPiece(bytes),
      onRetry: (reason) => countRetry(run, reason),
    })
    progress.pieceDone(piece)
  }
  return { type: 'written' }
}

async function verify(run: LaneRun): Promise<Input> {
  const progress = createProgress(run.pieces, run.tools.onEvent)
  for (const piece of run.pieces) {
    await verifyPiece(sessionOf(run), piece)
    progress.pieceDone(piece)
  }
  return { type: 'verified' }
}

/** From here on the port carries text of the firmware. */
async function reset(run: LaneRun): Promise<Input> {
  const session = sessionOf(run)
  const { client, hasLines } = session
  const link = linkOf(run)
  await allowBoot(client)
  // Asked for at the speed of the console: the board may read the request later than the port changes its own.
  if (!hasLines) await changeBaud(session, romBaud)
  client.channel.watchResets(false)
  if (!hasLines) await client.send(op.runUserCode, [])
  endSession(run)
  link.onData((bytes) => run.boot.push(bytes))
  if (hasLines) {
    await link.setBaud(romBaud)
    await hardReset(link)
  }
  return { type: 'restarted' }
}

async function readBanner({ boot, tools }: LaneRun): Promise<Input> {
  const { signal } = tools
  const startedAt = performance.now()
  const since = (time: number) => performance.now() - time
  while (!findBootText(boot.text()) && since(startedAt) < bannerLimitMs && !signal.aborted) await pause(20, signal)
  const bannerAt = performance.now()
  while (since(boot.lastAt) < bannerQuietMs && since(bannerAt) < bannerMaxMs && !signal.aborted) await pause(20, signal)
  boot.flush()
  return { type: 'booted', trouble: judgeBoot(boot.text()) }
}

/** A board that is not to be flashed goes on running what it holds. */
async function leave(run: LaneRun): Promise<Input> {
  const connected = run.session?.hasLines === true
  endSession(run)
  if (run.link && connected) {
    await run.link.setBaud(romBaud).catch(() => undefined)
    await hardReset(run.link).catch(() => undefined)
  }
  return { type: 'left' }
}
