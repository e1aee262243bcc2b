import type { DeviceClass, ToolPolicy } from '../../electron/contract/tool-policy.ts'

/** Who a policy is about, as the access page lists it. */
export interface Scope {
  readonly scope: 'agent' | 'class' | 'device'
  readonly id: string
  readonly name: string
  readonly policy: ToolPolicy
  /** A policy is stored; without one everything is allowed. */
  readonly stored: boolean
}

const DEFAULT_AGENT = 'default'
const open = (scope: Scope['scope'], id: string): ToolPolicy => ({ scope, id, mode: 'all', allowed: [], pins: {} })

export function scopesOf(
  policies: readonly ToolPolicy[],
  classes: readonly DeviceClass[],
  devices: readonly { readonly id: string; readonly name: string }[],
): Readonly<Record<Scope['scope'], readonly Scope[]>> {
  const scopeOf = (scope: Scope['scope'], id: string, name: string): Scope => {
    const policy = policies.find((one) => one.scope === scope && one.id === id)
    return { scope, id, name, policy: policy ?? open(scope, id), stored: policy !== undefined }
  }
  const ids = (scope: Scope['scope']) => policies.filter((one) => one.scope === scope).map((one) => one.id)
  const agents = [...new Set([DEFAULT_AGENT, ...ids('agent')])]
  return {
    agent: agents.map((id) => scopeOf('agent', id, id)),
    class: classes.map((one) => scopeOf('class', one.id, one.name)),
    device: ids('device').map((id) => scopeOf('device', id, devices.find((one) => one.id === id)?.name ?? id)),
  }
}

/** How many of the known tools a policy lets through. */
export function allowedCount(policy: ToolPolicy, names: readonly string[]): number {
  if (policy.mode === 'all') return names.length
  const listed = new Set(policy.allowed)
  return names.filter((name) => listed.has(name)).length
}

export const samePolicy = (left: ToolPolicy, right: ToolPolicy): boolean =>
  left.mode === right.mode &&
  JSON.stringify([...left.allowed].sort()) === JSON.stringify([...right.allowed].sort()) &&
  JSON.stringify(Object.entries(left.pins).sort()) === JSON.stringify(Object.entries(right.pins).sort())
