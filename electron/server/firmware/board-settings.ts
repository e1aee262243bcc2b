import { AppError } from '../../base/app-error.ts'
import { type NvsEntry, nvsEntry } from './nvs-entry.ts'
import { writeNvs } from './nvs-image.ts'
import { readNvs } from './nvs-reader.ts'

/** What a board is given when it is flashed (iotta-protocol.md §2.1). */
export interface BoardSettings {
  /** In order of preference; an SSID has 1 to 32 bytes, a password 8 to 63 (absent: open network). */
  readonly wifi?: readonly { readonly ssid: string; readonly password?: string }[]
  /** https URL without path; http only for loopback. */
  readonly server?: string
  readonly claim?: string
  /** The CA certificate, DER. */
  readonly ca?: Uint8Array
  readonly name?: string
  /** Only when it is not the MAC. */
  readonly deviceId?: string
}

const maxNetworks = 10

/** A fresh partition of `size` bytes. Throws `flash-bad-settings` naming the field, and the `nvs-…` codes. */
export function settingsToNvs(settings: BoardSettings, size: number): Uint8Array {
  return writeNvs(settingsEntries(settings), size)
}

/**
 * The settings laid over the board's own partition: every other key keeps its type and bytes. The token of the board is
 * dropped when server or claim change: it belongs to the enrolment that they replace. A blank partition counts as empty.
 */
export function mergeSettings(existing: Uint8Array, settings: BoardSettings, size: number): Uint8Array {
  const added = settingsEntries(settings)
  const replaced = new Set(added.map(nameOf))
  settings.wifi?.forEach((_, index) => replaced.add(`wifi\0password${suffix(index)}`))
  if (settings.server !== undefined || settings.claim !== undefined) replaced.add('iotta\0token')
  const kept = readNvs(existing).entries.filter((entry) => !replaced.has(nameOf(entry)))
  return writeNvs([...kept, ...added], size)
}

export function hasSettings(settings: BoardSettings | undefined): settings is BoardSettings {
  return settings !== undefined && settingsEntries(settings).length > 0
}

/** Everything that must never reach a log line. */
export function settingsSecrets(settings: BoardSettings): string[] {
  const passwords = (settings.wifi ?? []).flatMap(({ password }) => (password === undefined ? [] : [password]))
  return settings.claim === undefined ? passwords : [...passwords, settings.claim]
}

function settingsEntries(settings: BoardSettings): NvsEntry[] {
  const entries = wifiEntries(settings.wifi ?? [])
  const text = (key: string, value: string) => entries.push(nvsEntry('iotta', key, { type: 'string', value }))
  if (settings.server !== undefined) text('server', serverUrl(settings.server))
  if (settings.claim !== undefined) text('claim', checked('claim', settings.claim, /^[\w-]{1,128}$/))
  if (settings.ca !== undefined)
    entries.push(nvsEntry('iotta', 'ca', { type: 'blob', value: certificate(settings.ca) }))
  if (settings.name !== undefined) text('name', checked('name', settings.name, /^.{1,64}$/u))
  if (settings.deviceId !== undefined)
    text('device_id', checked('device id', settings.deviceId, /^[A-Za-z0-9:_-]{1,64}$/))
  return entries
}

function wifiEntries(networks: NonNullable<BoardSettings['wifi']>): NvsEntry[] {
  if (networks.length > maxNetworks) throw bad(`at most ${String(maxNetworks)} Wi-Fi networks`)
  return networks.flatMap(({ ssid, password }, index) => {
    const length = Buffer.byteLength(ssid)
    if (length < 1 || length > 32) throw bad('an SSID has 1 to 32 bytes')
    const entries = [nvsEntry('wifi', `ssid${suffix(index)}`, { type: 'string', value: ssid })]
    if (password === undefined || password === '') return entries
    const bytes = Buffer.byteLength(password)
    if (bytes < 8 || bytes > 63) throw bad('a Wi-Fi password has 8 to 63 bytes')
    return [...entries, nvsEntry('wifi', `password${suffix(index)}`, { type: 'string', value: password })]
  })
}

/** ssid, ssid1, ssid2 … */
function suffix(index: number): string {
  return index === 0 ? '' : String(index)
}

function serverUrl(text: string): string {
  const url = URL.parse(text)
  const loopback = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  const allowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback)
  if (!url || !allowed || url.pathname !== '/' || url.search || url.hash || url.username || url.password) {
    throw bad('the server is an https address without a path')
  }
  return url.origin
}

function certificate(der: Uint8Array): Uint8Array {
  if (der.length < 64 || der.length > 4096 || der[0] !== 0x30)
    throw bad('the CA is a DER certificate of at most 4096 bytes')
  return der
}

/** The value stays out of the message: it may be a secret. */
function checked(what: string, value: string, pattern: RegExp): string {
  if (!pattern.test(value)) throw bad(`the ${what} is too long or has characters that are not allowed`)
  return value
}

function nameOf(entry: NvsEntry): string {
  return `${entry.namespace}\0${entry.key}`
}

function bad(reason: string): AppError {
  return new AppError('flash-bad-settings', `The settings cannot be used: ${reason}`)
}
