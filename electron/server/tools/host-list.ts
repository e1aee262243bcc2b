import type { Log } from '../../base/log.ts'
import type { DeviceTool, ToolSource } from '../../contract/tool.ts'
import { isForPeopleOnly } from './people-only.ts'
import type { ToolOffer, ToolProvider } from './tool-provider.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { ToolRules } from './tool-rules.ts'

export interface ListedTool {
  readonly row: DeviceTool
  readonly provider: ToolProvider
}

export interface ListParts {
  readonly providers: readonly ToolProvider[]
  readonly registry: ToolRegistry
  readonly rules: ToolRules
  readonly log: Log
}

/** Who keeps a name that several offer on one device. */
const precedence: readonly ToolSource[] = ['declared', 'listed', 'thing', 'uart', 'builtin', 'mcp']

/** All offers of a device, the winner of each name first; a source that fails is left out and told. */
export async function listTools(deviceId: string, parts: ListParts): Promise<ListedTool[]> {
  const offers = await Promise.all(
    parts.providers.map(async (provider) => {
      try {
        return (await provider.offers(deviceId)).map((offer) => ({ offer, provider }))
      } catch (error) {
        parts.log.warn('a source of tools did not say what it offers', { provider: provider.id, deviceId, error })
        return []
      }
    }),
  )
  const ranked = offers.flat().sort((a, b) => precedence.indexOf(a.offer.source) - precedence.indexOf(b.offer.source))
  const taken = new Set<string>()
  return ranked.map(({ offer, provider }) => {
    const isFirst = !taken.has(offer.name)
    taken.add(offer.name)
    return { row: rowOf(deviceId, offer, { ...parts, isFirst }), provider }
  })
}

function rowOf(deviceId: string, offer: ToolOffer, parts: ListParts & { isFirst: boolean }): DeviceTool {
  const { name, reachable, source, provider, lateAnswers } = offer
  const tool = versionOf(deviceId, offer, parts)
  const told = lateAnswers === undefined ? {} : { lateAnswers }
  return { name, tool, reachable, source, provider, ...told, withheld: whyNot(deviceId, name, parts) }
}

/**
 * The registry decides which version is for this device. Of a Thing and of a microcontroller only they know which one
 * they have; a pin holds for all.
 */
function versionOf(deviceId: string, offer: ToolOffer, { registry, rules }: ListParts): DeviceTool['tool'] {
  const pin = rules.pin(deviceId, offer.name)
  const bringsOwn = offer.source === 'thing' || offer.source === 'uart'
  if (bringsOwn && offer.tool && pin === undefined) return offer.tool
  return registry.shelf.versionFor(offer.name, { deviceId, pin }) ?? offer.tool
}

function whyNot(
  deviceId: string,
  name: string,
  { registry, rules, isFirst }: ListParts & { isFirst: boolean },
): DeviceTool['withheld'] {
  if (!isFirst) return 'name-taken'
  if (!registry.shelf.settings(name).enabled) return 'disabled'
  if (isForPeopleOnly({ name })) return 'people'
  return rules.withheld(deviceId, name)
}
