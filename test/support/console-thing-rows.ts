import { AppError } from '../../electron/base/app-error.ts'
import type { ThingModel, ThingPreview, ThingProblem, ThingValue } from '../../electron/contract/thing.ts'
import { thingTemplates } from '../../electron/server/things/templates.ts'
import { factsOf, toolsOf } from '../../electron/server/things/thing-tools.ts'

// Test support: what a scripted server says of a model. The texts only have to change with it, as the real ones do.

export const emptyModel = (): ThingModel => ({
  title: { en: '', zh: '' },
  description: '',
  names: { en: [], zh: [] },
  template: null,
  properties: [],
  methods: [],
  events: [],
  wiring: null,
  hidden: [],
})

export function templateModel(id: string): ThingModel {
  const found = thingTemplates.find((one) => one.id === id || one.model.template === id.replaceAll('-', '_'))
  if (!found) throw new AppError('thing-unknown', `No template ${id}`)
  return structuredClone(found.model)
}

const loss = (code: string, path: string): ThingProblem => ({ severity: 'warning', code, path, detail: {} })

export function previewsOf(name: string, model: ThingModel): ThingPreview[] {
  const tools = toolsOf(model).map((tool) => ({ name: tool.name, ...tool.content }))
  const lines = model.properties.map((property) => `  // ${property.name}: ${factsOf(property)}`).join('\n')
  const floats = model.properties
    .filter(({ type }) => type === 'number')
    .map((one) => loss('number-as-integer', `properties/${one.name}`))
  const stub = (head: string) =>
    `${head}\n// Fill in the marked places.\nclass ${name} {\npublic:\n${lines}\n  bool ready = true;\n};\n`
  const json = (value: unknown) => JSON.stringify(value, null, 2)
  const one = (kind: ThingPreview['kind'], file: ThingPreview['files'][number], losses: ThingProblem[] = []) => ({
    kind,
    files: [file],
    losses,
  })
  return [
    one(
      'legacy-descriptor',
      { name: `${name}.json`, language: 'json', text: json({ name, properties: model.properties }) },
      floats,
    ),
    one('mcp-tools', {
      name: 'tools.json',
      language: 'json',
      text: json({
        tools: tools.map(({ name: tool, description, arguments: inputSchema }) => ({
          name: tool,
          description,
          inputSchema,
        })),
      }),
    }),
    one('esp-thing', { name: `${name}_thing.cc`, language: 'cpp', text: stub('#include "iot/thing.h"') }, floats),
    one('esp-mcp-server', { name: `${name}_mcp.cc`, language: 'cpp', text: stub('#include "mcp_server.h"') }, floats),
    one('iotta-c', {
      name: `${name}.c`,
      language: 'c',
      text: `#include "iotta_tools.h"\n${lines.replaceAll('  //', '//')}\nint ${name}_init(void) { return 0; }\n`,
    }),
    one('uart-mcp', {
      name: `${name}.txt`,
      language: 'text',
      text: `mcp-tool ${JSON.stringify({ role: 'MCU', msgType: 'MCP', MCP: { tools } })}\n`,
    }),
  ]
}

/** An hour of values that end at the present one. */
export function historyOf(now: ThingValue | null): { at: number; value: ThingValue }[] {
  if (typeof now !== 'number') return []
  return Array.from({ length: 40 }, (_, index) => ({
    at: Date.now() - (40 - index) * 90_000,
    value: Math.round((now + 3 * Math.sin(index / 5) * (1 - index / 40)) * 10) / 10,
  }))
}
