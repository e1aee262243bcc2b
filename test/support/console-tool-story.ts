import type { ToolAudit, ToolChange, ToolContent } from '../../electron/contract/tool-registry.ts'
import type { ToolVersion } from '../../electron/contract/tool.ts'

// Test support: what a scripted registry says about two versions, and who called a tool before.

export const contentFrom = ({
  description,
  arguments: args,
  result,
  danger,
  idempotent,
  timeoutMs,
  speech,
}: ToolVersion): ToolContent => ({
  description,
  arguments: args,
  result,
  danger,
  idempotent,
  timeoutMs,
  speech,
})

function namesOf(content: ToolContent): { all: string[]; required: string[] } {
  const { properties = {}, required = [] } = content.arguments as { properties?: object; required?: string[] }
  return { all: Object.keys(properties), required }
}

/** Enough of a diff for a person to see each level. */
export function changesBetween(before: ToolContent | null, after: ToolContent): ToolChange[] {
  if (!before) return []
  const [was, is] = [namesOf(before), namesOf(after)]
  const at = (path: string, from: unknown, to: unknown) => ({ path, before: from ?? null, after: to ?? null })
  const schemaOf = (content: ToolContent, name: string) =>
    (content.arguments as { properties?: Record<string, unknown> }).properties?.[name]
  const of = (name: string) =>
    at(`/arguments/properties/${name}`, schemaOf(before, name), is.all.includes(name) ? schemaOf(after, name) : null)
  const differs = (name: string) => JSON.stringify(schemaOf(before, name)) !== JSON.stringify(schemaOf(after, name))
  const required = is.required.filter((name) => !was.required.includes(name))
  const removed = was.all.filter((name) => !is.all.includes(name))
  const narrowed = is.all.filter((name) => was.all.includes(name) && differs(name))
  const told = before.description !== after.description
  return [
    ...required.map((name): ToolChange => ({ level: 'breaking', code: 'required-property-added', ...of(name) })),
    ...removed.map((name): ToolChange => ({ level: 'breaking', code: 'property-removed', ...of(name) })),
    ...narrowed.map((name): ToolChange => ({ level: 'risky', code: 'range-narrowed', ...of(name) })),
    ...(told
      ? [
          {
            level: 'safe' as const,
            code: 'description-changed',
            ...at('/description', before.description, after.description),
          },
        ]
      : []),
  ]
}

export function oldCalls(name: string): ToolAudit[] {
  return Array.from({ length: 6 }, (_, index) => ({
    id: `old-${index}`,
    at: Date.now() - (index + 1) * 340_000,
    durationMs: 61 + index * 40,
    deviceId: 'virtual-1',
    ref: `${name}@3`,
    caller: index % 3 === 2 ? { kind: 'client', id: 'claude' } : { kind: 'turn', id: `turn-${index}` },
    arguments: { on: index % 2 === 0, brightness: 20 + index },
    outcome: index === 4 ? 'timeout' : 'ok',
    errorCode: index === 4 ? 'tool-timeout' : null,
    errorMessage: index === 4 ? 'no answer in 5000 ms' : null,
    result: index === 4 ? null : { ok: true },
    consentId: null,
  }))
}
