import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '../base/app-error.ts'
import { type BoardSettings, settingsToNvs } from '../server/firmware/board-settings.ts'
import type { PartFile } from '../server/flash/flasher-message.ts'
import type { ErasePolicy } from '../server/flash/plan.ts'
import { readPlanFile } from '../server/flash/plan-file.ts'
import type { CommandIo } from './command.ts'
import { readOptions, wholeNumber } from './options.ts'

const options = {
  port: { type: 'string', multiple: true },
  image: { type: 'string' },
  plan: { type: 'string' },
  'wifi-ssid': { type: 'string' },
  'wifi-password-stdin': { type: 'boolean' },
  server: { type: 'string' },
  claim: { type: 'string' },
  ca: { type: 'string' },
  data: { type: 'string' },
  name: { type: 'string' },
  'device-id': { type: 'string' },
  erase: { type: 'string' },
  baud: { type: 'string' },
  'no-verify': { type: 'boolean' },
  'fix-header': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export interface FlashOptions {
  readonly ports: readonly string[]
  readonly parts: readonly PartFile[]
  readonly settings: BoardSettings
  readonly erase: ErasePolicy
  readonly verify: boolean
  readonly fixHeader: boolean
  readonly baud: number
  readonly data: string | undefined
  readonly json: boolean
}

type Values = ReturnType<typeof readOptions<{ options: typeof options }>>['values']

/** Throws `server-bad-usage` for what cannot be meant, and what plan, CA and settings throw. */
export async function readFlashOptions(args: readonly string[], io: CommandIo): Promise<FlashOptions> {
  const { values } = readOptions({ args: [...args], options })
  const ports = values.port ?? []
  if (ports.length === 0) throw usage('--port is needed, once for each board')
  if (new Set(ports).size !== ports.length) throw usage('A port is named twice')
  if (values.claim !== undefined && ports.length > 1) throw usage('--claim is for one board; use --data for several')
  const plan = values.plan === undefined ? { parts: [], fixHeader: false } : await readPlanFile(values.plan)
  const image: PartFile[] = values.image === undefined ? [] : [{ path: values.image, offset: null }]
  const settings = await readSettings(values, io)
  if (image.length + plan.parts.length === 0 && Object.keys(settings).length === 0 && values.data === undefined) {
    throw usage('--image, --plan or settings are needed')
  }
  return {
    ports,
    parts: [...plan.parts, ...image],
    settings,
    erase: eraseOf(values.erase),
    verify: values['no-verify'] !== true,
    fixHeader: values['fix-header'] === true || plan.fixHeader,
    baud: wholeNumber('baud', values.baud, { min: 9600, max: 3_000_000, fallback: 921_600 }),
    data: values.data,
    json: values.json === true,
  }
}

async function readSettings(values: Values, io: CommandIo): Promise<BoardSettings> {
  const wifi = await readWifi(values, io)
  const ca = values.ca === undefined ? undefined : await readCertificate(values.ca)
  const settings: BoardSettings = {
    ...(wifi ? { wifi } : {}),
    ...(values.server === undefined ? {} : { server: values.server }),
    ...(values.claim === undefined ? {} : { claim: values.claim }),
    ...(ca ? { ca } : {}),
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values['device-id'] === undefined ? {} : { deviceId: values['device-id'] }),
  }
  // Refused now rather than after the board was found; the size of the partition is not known yet.
  settingsToNvs(settings, 0x10000)
  return settings
}

async function readWifi(values: Values, io: CommandIo): Promise<BoardSettings['wifi']> {
  const ssid = values['wifi-ssid']
  if (values['wifi-password-stdin'] !== true) return ssid === undefined ? undefined : [{ ssid }]
  if (ssid === undefined) throw usage('--wifi-password-stdin needs --wifi-ssid')
  const password = (await readAll(io.stdin)).replace(/\r?\n$/, '')
  if (password === '') throw usage('No password came on standard input')
  if (/[^\x20-\x7e]/.test(password)) {
    io.stderr('roost: the Wi-Fi password holds other than printable ASCII; not every access point takes that\n')
  }
  return [{ ssid, password }]
}

const maxStdin = 4096

async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > maxStdin) throw usage('Standard input is longer than any password')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function readCertificate(path: string): Promise<Uint8Array> {
  try {
    return Uint8Array.from(new X509Certificate(await readFile(path)).raw)
  } catch (cause) {
    throw new AppError('flash-bad-settings', `${basename(path)} is no certificate (PEM or DER)`, { cause })
  }
}

function eraseOf(text: string | undefined): ErasePolicy {
  if (text === undefined) return 'none'
  if (text === 'all' || text === 'keep-settings') return text
  throw usage(`--erase takes all or keep-settings, not "${text}"`)
}

function usage(message: string): AppError {
  return new AppError('server-bad-usage', message)
}
