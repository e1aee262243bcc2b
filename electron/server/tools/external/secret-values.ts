import { AppError } from '../../../base/app-error.ts'
import type { McpServerInput } from '../../../contract/mcp.ts'

type Values = Readonly<Record<string, string>>

/** Shorter ones would mask half of any text. */
const maskedFrom = 4

/** The values leave the input: what a person reads back has the names alone. `null` keeps the stored value. */
export function splitSecrets(input: McpServerInput, stored: Values): { server: McpServerInput; secrets: Values } {
  const { transport } = input
  const given = transport.kind === 'stdio' ? transport.env : transport.headers
  const secrets: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    const kept = value ?? (Object.hasOwn(stored, name) ? stored[name] : undefined)
    if (kept === undefined) throw new AppError('mcp-secret-missing', `There is no stored value for "${name}"`)
    secrets[name] = kept
  }
  const names = Object.fromEntries(Object.keys(given).map((name) => [name, null]))
  const bare = transport.kind === 'stdio' ? { ...transport, env: names } : { ...transport, headers: names }
  return { server: { ...input, transport: bare }, secrets }
}

/** Takes the values out of a text that will be shown or logged. */
export function createMask(secrets: Values): (text: string) => string {
  const values = Object.values(secrets)
    .flatMap((value) => [value, value.replace(/^(Bearer|Basic|Token) +/i, '')])
    .filter((value) => value.length >= maskedFrom)
    // The longest first: a part of another value must not leave its rest behind.
    .sort((a, b) => b.length - a.length)
  return (text) => values.reduce((masked, value) => masked.replaceAll(value, '[secret]'), text)
}
