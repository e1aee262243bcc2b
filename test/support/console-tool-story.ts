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
  const change = (level: ToolChange['level'], code: string, path: string, values: [unknown, unknown]): ToolChange => ({
    level,
    code,
    path,
    before: values[0] ?? null,
    after: values[1] ?? null,
  })
  const schemaOf = (content: ToolContent, name: string) =>
    (content.arguments as { properties?: Record<string, unknown> }).properties?.[name]
  return [
    ...is.required
      .filter((name) => !was.required.includes(name))
      .map((name) =>
        change('breaking', 'required-property-added', `/arguments/properties/${name}`, [null, schemaOf(after, name)]),
      ),
    ...was.all
      .filter((name) => !is.all.includes(name))
      .map((name) =>
        change('breaking', 'property-removed', `/arguments/properties/${name}`, [schemaOf(before, name), null]),
      ),
    ...is.all
      .filter(
        (name) =>
          was.all.includes(name) && JSON.stringify(schemaOf(before, name)) !== JSON.stringify(schemaOf(after, name)),
      )
      .map((name) =>
        change('risky', 'range-narrowed', `/arguments/properties/${name}`, [
          schemaOf(before, name),
          schemaOf(after, name),
        ]),
      ),
    ...(before.description === after.description
      ? []
      : [change('safe', 'description-changed', '/description', [before.description, after.description])]),
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
