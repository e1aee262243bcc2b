import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import type { GatewaySource, Remit } from './gateway-source.ts'

/** What may be read of the house. All values are JSON. */
export interface HouseFacts {
  devices(): readonly { readonly id: string; readonly name: string }[]
  /** What is known of one device now: presence, phase, measured values; undefined = no such device. */
  state(deviceId: string): Promise<object | undefined>
  /** The newest spoken turns of any device, each with its `deviceId`. */
  recentTurns(): Promise<readonly { readonly deviceId: string }[]>
}

const devicesUri = 'roost://devices'
const turnsUri = 'roost://turns/recent'
const stateTemplate = 'roost://devices/{id}/state'
const json = { mimeType: 'application/json' }

export function stateUri(deviceId: string): string {
  return `${devicesUri}/${encodeURIComponent(deviceId)}/state`
}

/** Devices, their state, and what was said lately where the owner allowed it (reliability.md C 44: nothing by default). */
export function createHouseResources(facts: HouseFacts): Required<Pick<GatewaySource, 'resources' | 'complete'>> {
  const seen = (remit: Remit) => facts.devices().filter(({ id }) => remit.sees(id))

  async function valueOf(remit: Remit, uri: string): Promise<unknown> {
    if (uri === devicesUri) return Promise.all(seen(remit).map(async ({ id }) => facts.state(id)))
    if (uri === turnsUri) {
      return remit.transcripts ? (await facts.recentTurns()).filter(({ deviceId }) => remit.sees(deviceId)) : undefined
    }
    const device = seen(remit).find(({ id }) => stateUri(id) === uri)
    return device && facts.state(device.id)
  }

  return {
    resources: {
      async list(remit) {
        return [
          { uri: devicesUri, name: 'devices', description: 'The devices of the house and how they are', ...json },
          ...seen(remit).map(({ id, name }) => ({
            uri: stateUri(id),
            name: `${id} state`,
            description: `How "${name}" is now`,
            ...json,
          })),
          ...(remit.transcripts
            ? [{ uri: turnsUri, name: 'recent turns', description: 'What was said and answered lately', ...json }]
            : []),
        ]
      },
      async templates() {
        return [{ uriTemplate: stateTemplate, name: 'device state', description: 'How one device is now', ...json }]
      },
      async read(remit, uri): Promise<ReadResourceResult | undefined> {
        const value = await valueOf(remit, uri)
        return value === undefined ? undefined : { contents: [{ uri, text: JSON.stringify(value), ...json }] }
      },
    },
    async complete(remit, { ref, argument }) {
      if (ref.type !== 'ref/resource' || ref.uri !== stateTemplate || argument.name !== 'id') return undefined
      return seen(remit).flatMap(({ id }) => (id.startsWith(argument.value.toLowerCase()) ? [id] : []))
    },
  }
}
