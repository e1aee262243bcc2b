import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../base/app-error.ts'
import { withDeadline } from '../base/deadline.ts'
import type { Child, Launcher } from '../base/launcher.ts'
import type { Log } from '../base/log.ts'
import { isErrorCode } from '../contract/errors.ts'
import type { ChipProcessReply, ChipProcessRequest } from '../virtual/chip/chip-process.ts'

export interface RunningChip {
  readonly mac: string
  /** Path of its serial port. */
  readonly port: string
}

/** Virtual chips that this server keeps: each a process with a serial port, its flash in a file. */
export interface VirtualChips {
  /** A new chip, blank, in download mode. Rejects chip-no-pty where the system has no pseudo-terminals. */
  create(): Promise<RunningChip>
  ports(): string[]
  has(deviceId: string): boolean
  /** The chip's microphone hears 16 kHz mono samples. Throws server-not-found. */
  speak(deviceId: string, pcm: Int16Array, said: string): void
  /** What its speaker plays, frame by frame. Returns the way to stop. */
  onSound(deviceId: string, listener: (pcm: Int16Array, sampleRate: number) => void): () => void
  /** Switches it off and removes its flash. Nothing happens for an unknown id. */
  remove(deviceId: string): Promise<void>
  /** Switches on what earlier starts left: each boots what is in its flash. */
  resume(): Promise<void>
  close(): Promise<void>
}

interface ChipsOptions {
  readonly dir: string
  readonly launcher: Launcher
  readonly log: Log
  /** 0–1. */
  readonly random: () => number
}

interface Live extends RunningChip {
  readonly child: Child
}

const mostChips = 8
const startMs = 15_000

export function createVirtualChips(options: ChipsOptions): VirtualChips {
  const { dir, random } = options
  const log = options.log.child('virtual-chips')
  const chips = new Map<string, Live>()
  const ears = new Map<string, Set<(pcm: Int16Array, sampleRate: number) => void>>()
  const stateOf = (mac: string) => join(dir, mac.replaceAll(':', ''))

  async function start(mac: string): Promise<Live> {
    const { child, port } = await launchChip(options.launcher, {
      mac,
      stateDir: stateOf(mac),
      onSound: (pcm, sampleRate) => ears.get(mac)?.forEach((listener) => listener(pcm, sampleRate)),
      onExit(ended) {
        if (chips.get(mac)?.child === ended) chips.delete(mac)
      },
    })
    const chip: Live = { mac, child, port }
    chips.set(mac, chip)
    log.info('virtual chip on', { mac, port })
    return chip
  }

  function need(deviceId: string): Live {
    const chip = chips.get(deviceId)
    if (!chip) throw new AppError('server-not-found', `${deviceId} is no virtual board of this server`)
    return chip
  }

  return {
    async create() {
      if (chips.size >= mostChips) {
        throw new AppError('server-overloaded', `${mostChips} virtual boards run already: forget one first`)
      }
      return start(newMac(random))
    },
    ports: () => [...chips.values()].map((chip) => chip.port),
    has: (deviceId) => chips.has(deviceId),
    speak: (deviceId, pcm, said) => post(need(deviceId).child, { type: 'say', pcm, said }),
    onSound(deviceId, listener) {
      need(deviceId)
      const listeners = ears.get(deviceId) ?? new Set()
      ears.set(deviceId, listeners.add(listener))
      return () => void listeners.delete(listener)
    },
    async remove(deviceId) {
      const chip = chips.get(deviceId)
      if (!chip) return
      chips.delete(deviceId)
      await stop(chip.child)
      await rm(stateOf(deviceId), { recursive: true, force: true })
    },
    async resume() {
      for (const mac of await storedMacs(dir)) post((await start(mac)).child, { type: 'reset' })
    },
    async close() {
      await Promise.all([...chips.values()].map((chip) => stop(chip.child)))
      chips.clear()
    },
  }
}

interface ChipStart {
  readonly mac: string
  readonly stateDir: string
  readonly onSound: (pcm: Int16Array, sampleRate: number) => void
  readonly onExit: (child: Child) => void
}

async function launchChip(
  launcher: Launcher,
  { mac, stateDir, onSound, onExit }: ChipStart,
): Promise<{ child: Child; port: string }> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const child = await launcher.launch('chip')
  const ready = Promise.withResolvers<string>()
  child.onExit(({ code }) => {
    ready.reject(new AppError('server-worker-stopped', `The virtual chip ended with ${String(code)}`))
    onExit(child)
  })
  child.onMessage((message) => {
    // The child is our own build: its messages are those of ChipProcessReply.
    const reply = message as ChipProcessReply
    if (reply.type === 'sound') onSound(reply.pcm, reply.sampleRate)
    else receive(reply, ready)
  })
  post(child, { type: 'start', options: { mac, stateDir, bootToBoard: true } })
  const late = { code: 'server-timeout', message: 'The virtual chip did not start in 15 s' } as const
  return { child, port: await withDeadline(ready.promise, startMs, late) }
}

async function storedMacs(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => [])
  const macs = names.filter((name) => /^[0-9a-f]{12}$/.test(name)).map((name) => name.match(/../g)?.join(':') ?? '')
  return macs.slice(0, mostChips)
}

/** Locally administered, as virtual network devices have it: never a real board's. */
function newMac(random: () => number): string {
  const tail = Array.from({ length: 5 }, () =>
    Math.floor(random() * 256)
      .toString(16)
      .padStart(2, '0'),
  )
  return ['02', ...tail].join(':')
}

function post(child: Child, request: ChipProcessRequest): void {
  child.post(request)
}

function receive(reply: ChipProcessReply, ready: PromiseWithResolvers<string>): void {
  if (reply.type === 'ready') ready.resolve(reply.port)
  else if (reply.type === 'failed') {
    const code = isErrorCode(reply.code) ? reply.code : 'server-internal'
    ready.reject(new AppError(code, reply.message))
  }
}

async function stop(child: Child): Promise<void> {
  const ended = Promise.withResolvers<undefined>()
  child.onExit(() => ended.resolve(undefined))
  post(child, { type: 'stop' })
  const timer = setTimeout(() => child.kill(true), 2_000)
  await ended.promise
  clearTimeout(timer)
}
