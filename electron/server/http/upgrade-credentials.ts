import type { IncomingHttpHeaders } from 'node:http'

export interface DeviceCredentials {
  readonly token: string
  /** Lower case. */
  readonly deviceId: string
}

export type CredentialReading =
  | { readonly ok: true; readonly credentials: DeviceCredentials; readonly protocol: 'iotta.v1' | undefined }
  | { readonly ok: false; readonly code: 'bad_request' | 'wrong_version'; readonly message: string }

const subprotocol = 'iotta.v1'
const prefixes = {
  authorization: 'iotta.authorization.',
  deviceId: 'iotta.device-id.',
  version: 'iotta.protocol-version.',
} as const
type Field = keyof typeof prefixes
type Values = Partial<Record<Field, string>>

const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i
const deviceIdShape = /^[A-Za-z0-9:_-]{1,64}$/

/** The three values of iotta-protocol.md §1.1 from headers or from the subprotocol list; shape first, version second. */
export function readCredentials(headers: IncomingHttpHeaders): CredentialReading {
  const listed = fromSubprotocols(headers['sec-websocket-protocol'])
  if (typeof listed === 'string') return malformed(listed)
  const given: Values = {
    ...optional('authorization', headers.authorization),
    ...optional('deviceId', single(headers['device-id'])),
    ...optional('version', single(headers['protocol-version'])),
  }
  if (disagree(given, listed.values)) return malformed('Headers and subprotocols name different credentials.')
  const { authorization, deviceId, version } = { ...listed.values, ...given }
  const token = readBearer(authorization)
  if (token === undefined) return malformed('Authorization: Bearer <token> is missing or malformed.')
  if (deviceId === undefined || !deviceIdShape.test(deviceId)) return malformed('Device-Id is missing or malformed.')
  if (version === undefined || !/^[\x21-\x7e]{1,16}$/.test(version)) {
    return malformed('Protocol-Version is missing or malformed.')
  }
  if (version !== '1') {
    return { ok: false, code: 'wrong_version', message: 'Only protocol version 1 is spoken here.' }
  }
  return { ok: true, credentials: { token, deviceId: deviceId.toLowerCase() }, protocol: listed.protocol }
}

/** The token of `Authorization: Bearer …`; undefined when there is none or it is malformed. */
export function readBearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : bearer.exec(header)?.[1]
}

interface Listed {
  readonly values: Values
  readonly protocol: typeof subprotocol | undefined
}

/** A sentence when the list is malformed. Its entries are credentials, so no sentence ever repeats one. */
function fromSubprotocols(header: string | undefined): Listed | string {
  if (header === undefined) return { values: {}, protocol: undefined }
  const offered = header.split(',').map((name) => name.trim())
  if (!offered.includes(subprotocol)) return `The subprotocol list lacks ${subprotocol}.`
  if (new Set(offered).size !== offered.length) return 'The subprotocol list names an entry twice.'
  const values: Values = {}
  for (const field of Object.keys(prefixes) as Field[]) {
    const mine = offered.filter((name) => name.startsWith(prefixes[field]))
    if (mine.length > 1) return 'The subprotocol list gives a credential twice.'
    if (mine[0] === undefined) continue
    const text = fromBase64Url(mine[0].slice(prefixes[field].length))
    if (text === undefined) return 'A credential in the subprotocol list is no base64url.'
    values[field] = text
  }
  return { values, protocol: subprotocol }
}

/** Canonical and without padding: one value has exactly one spelling. Printable ASCII only, as in a header. */
function fromBase64Url(text: string): string | undefined {
  const decoded = Buffer.from(text, 'base64url')
  if (decoded.toString('base64url') !== text) return undefined
  const value = decoded.toString('latin1')
  return /^[\x20-\x7e]+$/.test(value) ? value : undefined
}

function disagree(given: Values, listed: Values): boolean {
  return (Object.keys(prefixes) as Field[]).some((field) => {
    const [one, other] = [given[field], listed[field]]
    if (one === undefined || other === undefined) return false
    return field === 'deviceId' ? one.toLowerCase() !== other.toLowerCase() : one !== other
  })
}

function malformed(message: string): CredentialReading {
  return { ok: false, code: 'bad_request', message }
}

function optional(field: Field, value: string | undefined): Values {
  return value === undefined ? {} : { [field]: value }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}
