import { AppError } from '../../base/app-error.ts'
import type { DeviceClass, ToolPolicy } from '../../contract/tool-policy.ts'
import type { ToolPolicyStore } from '../store/tool-stores.ts'
import type { ToolRules } from './tool-rules.ts'

/**
 * Who may call what. A tool is offered when every scope of the device allows it: its agent, its active class, itself.
 * `listed` with an empty list means nothing (reliability.md C 44).
 */
export interface ToolPolicies extends ToolRules {
  list(): ToolPolicy[]
  put(policy: ToolPolicy): Promise<void>
  remove(scope: ToolPolicy['scope'], id: string): Promise<void>
  classes(): DeviceClass[]
  /** A class that is active keeps being so; those that share a device with it end. */
  putClass(one: Omit<DeviceClass, 'active'>): Promise<void>
  /** Its policy goes with it. */
  removeClass(id: string): Promise<void>
  /** A device has one active class: the others that share one of its devices end. Rejects server-not-found. */
  activate(id: string, active: boolean): Promise<void>
  onChange(listener: () => void): void
}

const mostClasses = 200

export async function createToolPolicies(options: {
  readonly store: ToolPolicyStore
  readonly agentOf: (deviceId: string) => string
}): Promise<ToolPolicies> {
  const { store, agentOf } = options
  const policies = new Map((await store.policies()).map((policy) => [keyOf(policy.scope, policy.id), policy]))
  const classes = new Map((await store.classes()).map((one) => [one.id, one]))
  const listeners = new Set<() => void>()
  const changed = () => listeners.forEach((listener) => listener())
  const policyOf = (scope: ToolPolicy['scope'], id: string | undefined) =>
    id === undefined ? undefined : policies.get(keyOf(scope, id))
  const activeOf = (deviceId: string) =>
    [...classes.values()].find(({ active, deviceIds }) => active && deviceIds.includes(deviceId))

  async function putClasses(rows: readonly DeviceClass[]): Promise<void> {
    await store.putClasses(rows)
    for (const one of rows) classes.set(one.id, one)
    changed()
  }

  return {
    ...rulesOf({ policyOf, activeOf, agentOf }),
    list: () => [...policies.values()],
    async put(policy) {
      await store.putPolicy(policy)
      policies.set(keyOf(policy.scope, policy.id), policy)
      changed()
    },
    async remove(scope, id) {
      await store.removePolicy(scope, id)
      policies.delete(keyOf(scope, id))
      changed()
    },
    classes: () => [...classes.values()],
    async putClass(one) {
      const known = classes.get(one.id)
      if (!known && classes.size >= mostClasses) {
        throw new AppError('server-overloaded', `There are ${mostClasses} classes already`)
      }
      await putClasses(withOthers([...classes.values()], { ...one, active: known?.active ?? false }))
    },
    async removeClass(id) {
      await store.removeClass(id)
      await store.removePolicy('class', id)
      classes.delete(id)
      policies.delete(keyOf('class', id))
      changed()
    },
    async activate(id, active) {
      const known = classes.get(id)
      if (!known) throw new AppError('server-not-found', `There is no class ${id}`)
      await putClasses(withOthers([...classes.values()], { ...known, active }))
    },
    onChange: (listener) => void listeners.add(listener),
  }
}

/** The class as it will be, and those that it ends. */
function withOthers(classes: readonly DeviceClass[], next: DeviceClass): DeviceClass[] {
  if (!next.active) return [next]
  const ended = classes.filter(
    (other) => other.id !== next.id && other.active && other.deviceIds.some((id) => next.deviceIds.includes(id)),
  )
  return [...ended.map((other) => ({ ...other, active: false })), next]
}

interface Scopes {
  readonly policyOf: (scope: ToolPolicy['scope'], id: string | undefined) => ToolPolicy | undefined
  readonly activeOf: (deviceId: string) => DeviceClass | undefined
  readonly agentOf: (deviceId: string) => string
}

function rulesOf({ policyOf, activeOf, agentOf }: Scopes): ToolRules {
  const scopesOf = (deviceId: string) => ({
    device: policyOf('device', deviceId),
    class: policyOf('class', activeOf(deviceId)?.id),
    agent: policyOf('agent', agentOf(deviceId)),
  })
  return {
    withheld(deviceId, name) {
      const scopes = scopesOf(deviceId)
      for (const scope of ['agent', 'class', 'device'] as const) if (!allows(scopes[scope], name)) return scope
      return null
    },
    clientMay: (clientId, name) => allows(policyOf('client', clientId), name),
    pin(deviceId, name) {
      const scopes = scopesOf(deviceId)
      // The narrower scope knows better.
      return pinOf(scopes.device, name) ?? pinOf(scopes.class, name) ?? pinOf(scopes.agent, name)
    },
  }
}

/** A list may have 2,000 names, and each is asked for at every turn. */
const sets = new WeakMap<ToolPolicy, ReadonlySet<string>>()

function allows(policy: ToolPolicy | undefined, name: string): boolean {
  if (!policy || policy.mode === 'all') return true
  const allowed = sets.get(policy) ?? new Set(policy.allowed)
  sets.set(policy, allowed)
  return allowed.has(name)
}

function pinOf(policy: ToolPolicy | undefined, name: string): number | undefined {
  return policy && Object.hasOwn(policy.pins, name) ? policy.pins[name] : undefined
}

function keyOf(scope: ToolPolicy['scope'], id: string): string {
  return `${scope} ${id}`
}
