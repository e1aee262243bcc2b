import type { ToolCase, ToolContent, ToolRelease, ToolSummary } from '../../electron/contract/tool-registry.ts'
import type { ToolVersion } from '../../electron/contract/tool.ts'

// Test support: the tools that the scripted server of the console tests knows.

export interface KnownTool {
  readonly summary: ToolSummary
  readonly versions: readonly ToolVersion[]
  readonly releases: readonly ToolRelease[]
  readonly cases: readonly ToolCase[]
}

const DAY = 86_400_000
const silent = { en: [], zh: [] }

export function contentOf(over: Partial<ToolContent> = {}): ToolContent {
  return {
    description: 'Turn the lamp on or off and set its brightness.',
    arguments: {
      type: 'object',
      required: ['on'],
      properties: {
        on: { type: 'boolean', description: 'True turns it on.' },
        brightness: { type: 'integer', minimum: 0, maximum: 100, default: 80, unit: '%', description: 'How bright.' },
        zone: { enum: ['desk', 'door'], description: 'Which lamp.' },
        color: {
          oneOf: [
            { title: 'name', type: 'string' },
            {
              title: 'rgb',
              type: 'array',
              items: { type: 'integer', minimum: 0, maximum: 255 },
              minItems: 3,
              maxItems: 3,
            },
          ],
        },
        then: { $ref: '#/$defs/step' },
      },
      $defs: {
        step: {
          type: 'object',
          properties: { after_s: { type: 'integer', minimum: 1 }, effect: { const: 'fade' } },
          patternProperties: { '^x-': { type: 'string' } },
        },
      },
    },
    result: { type: 'object', properties: { ok: { type: 'boolean' } } },
    danger: 'harmless',
    idempotent: true,
    timeoutMs: 5_000,
    speech: {
      target: { en: ['lamp', 'light'], zh: ['台灯', '灯'] },
      parameters: { brightness: { en: ['brightness'], zh: ['亮度'] } },
      values: { zone: { desk: { en: ['desk'], zh: ['书桌'] }, door: silent } },
      reply: {},
    },
    ...over,
  }
}

export const versionOf = (name: string, version: number, content: ToolContent): ToolVersion => ({
  name,
  version,
  status: 'published',
  createdAt: Date.now() - (10 - version) * DAY,
  origin: 'person',
  ...content,
})

function summaryOf(name: string, over: Partial<ToolSummary> = {}): ToolSummary {
  return {
    name,
    description: 'Does one thing.',
    origin: 'person',
    danger: 'harmless',
    published: 1,
    versions: 1,
    drafts: 0,
    canary: false,
    deprecated: false,
    enabled: true,
    provider: null,
    calls: 0,
    failed: 0,
    ...over,
  }
}

function known(name: string, over: Partial<ToolSummary>, content: Partial<ToolContent> = {}): KnownTool {
  const summary = summaryOf(name, over)
  const base = contentOf({
    arguments: { type: 'object', properties: {} },
    result: null,
    description: summary.description,
    danger: summary.danger,
    ...content,
  })
  const count = summary.published ?? 0
  const versions = Array.from({ length: count }, (_, index) => ({
    ...versionOf(name, index + 1, base),
    origin: summary.origin,
    status: summary.deprecated ? ('deprecated' as const) : ('published' as const),
  }))
  const releases = versions.map((one) => ({
    name,
    version: one.version,
    author: one.version % 2 === 0 ? 'ada' : 'owner',
    note: one.version === 1 ? 'first version' : 'clearer words',
    basedOn: one.version === 1 ? null : one.version - 1,
    publishedAt: one.createdAt,
    canary: summary.canary && one.version === count ? ['virtual-1'] : [],
    replacement: summary.deprecated ? 'set_lamp' : null,
  }))
  return { summary, versions, releases, cases: [] }
}

/** The lamp: three published versions that differ, cases, and everything that the editor can draw. */
function lamp(): KnownTool {
  const base = known(
    'set_lamp',
    { description: contentOf().description, published: 3, versions: 3, calls: 412, failed: 6 },
    contentOf(),
  )
  const early = contentOf({
    description: 'Turn the lamp on or off.',
    arguments: { type: 'object', required: ['on'], properties: { on: { type: 'boolean' } } },
  })
  return {
    ...base,
    versions: [{ ...base.versions[0]!, ...early }, { ...base.versions[1]!, ...early }, base.versions[2]!],
    cases: [
      { title: 'dim', arguments: { on: true, brightness: 10 }, expect: 'accepted' },
      { title: 'over range', arguments: { on: true, brightness: 140 }, expect: 'refused' },
    ],
  }
}

export function usualTools(): KnownTool[] {
  return [
    lamp(),
    known('read_temperature', {
      description: 'Temperature at the board in °C.',
      danger: 'read',
      origin: 'born',
      calls: 1_204,
    }),
    known('open_door', {
      description: 'Opens the door of the classroom for five seconds.',
      danger: 'physical',
      published: 2,
      versions: 2,
      canary: true,
      calls: 31,
      failed: 2,
    }),
    known('erase_recordings', {
      description: 'Deletes every recording of this board. This cannot be undone.',
      danger: 'destructive',
      calls: 2,
    }),
    known('air_conditioner.set_temperature', {
      description: '空调调到指定温度。',
      origin: 'thing',
      provider: 'air_conditioner',
      danger: 'physical',
      calls: 88,
    }),
    known('set_alarm', {
      description: 'Rings at a time of day.',
      origin: 'builtin',
      provider: 'Alarms',
      calls: 150,
      failed: 1,
    }),
    known('mcp_files_search', {
      description: 'Searches the files of this computer.',
      origin: 'mcp',
      provider: 'files',
      danger: 'read',
      calls: 12,
      failed: 9,
    }),
    known('relay_on', {
      description: 'Switches relay 1 of the microcontroller.',
      origin: 'uart',
      provider: '/dev/ttyUSB1',
      danger: 'physical',
    }),
    known('play_tone', { description: 'Plays a tone.', deprecated: true, calls: 3 }),
    known('water_pump', { description: 'Runs the pump for some seconds.', danger: 'physical', enabled: false }),
    known('feed_fish', { description: '', published: null, versions: 0, drafts: 1 }),
  ]
}

const verbs = ['set', 'read', 'open', 'close', 'start', 'stop', 'move', 'count']
const things = ['lamp', 'door', 'fan', 'curtain', 'pump', 'sensor', 'relay', 'servo']

export const manyTools = (count: number): KnownTool[] =>
  Array.from({ length: count }, (_, index) => {
    const verb = verbs[index % verbs.length] ?? 'set'
    const thing = things[Math.floor(index / verbs.length) % things.length] ?? 'lamp'
    return known(`${verb}_${thing}_${index}`, {
      description: `${verb} the ${thing} of room ${index}`,
      danger: verb === 'read' || verb === 'count' ? 'read' : index % 5 === 0 ? 'physical' : 'harmless',
      calls: (index * 37) % 500,
    })
  })
