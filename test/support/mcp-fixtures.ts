import type { CallToolResult, GetPromptResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { pause } from '../../electron/base/deadline.ts'
import type { GatewayCall, GatewaySource } from '../../electron/server/tools/gateway/gateway-source.ts'

// What the official conformance runner asks a server for by name (conformance 0.1.16), offered through the port that
// the house's own tools use. Sampling and elicitation are not among it: the house asks its own people, not the client.

/** A red pixel, and a silence of four samples. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQgAAAAAAAAAAAAAAA=='

const text = (value: string) => ({ type: 'text', text: value }) as const
const image = { type: 'image', data: png, mimeType: 'image/png' } as const
const embedded = (uri: string, value: string) =>
  ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: value } }) as const

type Answer = (call: GatewayCall) => Promise<CallToolResult> | CallToolResult

/** The runner wants to see that time passes between two notices. */
const aMoment = () => pause(50)

const answers: Readonly<Record<string, Answer>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', '{"test":"data","value":123}'),
    ],
  }),
  async test_tool_with_logging(call) {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await call.log('info', line)
      await aMoment()
    }
    return { content: [text('Tool with logging executed successfully')] }
  },
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  async test_tool_with_progress(call) {
    for (const progress of [0, 50, 100]) {
      await call.progress({ progress, total: 100 })
      await aMoment()
    }
    return { content: [text('Tool with progress executed successfully')] }
  },
  async test_reconnection(call) {
    call.closeStream?.()
    await aMoment()
    return { content: [text('Reconnection test completed successfully')] }
  },
  json_schema_2020_12_tool: () => ({ content: [text('accepted')] }),
}

const schema2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
} as const

function tools(): Tool[] {
  return Object.keys(answers).map((name) => ({
    name,
    description: `A fixture of the conformance runner: ${name}`,
    inputSchema: name === 'json_schema_2020_12_tool' ? schema2020 : { type: 'object' },
  }))
}

const user = (content: GetPromptResult['messages'][number]['content']) => ({ role: 'user', content }) as const
const prompts: Readonly<Record<string, (args: Readonly<Record<string, string>>) => GetPromptResult>> = {
  test_simple_prompt: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }),
  test_prompt_with_arguments: ({ arg1, arg2 }) => ({
    messages: [user(text(`Prompt with arguments: arg1='${arg1 ?? ''}', arg2='${arg2 ?? ''}'`))],
  }),
  test_prompt_with_embedded_resource: ({ resourceUri }) => ({
    messages: [
      user(embedded(resourceUri ?? 'test://example-resource', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  }),
  test_prompt_with_image: () => ({ messages: [user(image), user(text('Please analyze the image above.'))] }),
}

const promptArguments: Readonly<Record<string, readonly string[]>> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
}

const named = (name: string) => ({ name, description: `A fixture: ${name}` })

function readFixture(uri: string) {
  if (uri === 'test://static-text') {
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: png }
  if (uri === 'test://watched-resource') return { uri, mimeType: 'text/plain', text: 'watched' }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) return undefined
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) }
}

/** The fixture profile. */
export const conformanceSource: GatewaySource = {
  tools: async () => tools(),
  callTool: async (_remit, call) => (Object.hasOwn(answers, call.name) ? answers[call.name]?.(call) : undefined),
  resources: {
    list: async () =>
      ['test://static-text', 'test://static-binary', 'test://watched-resource'].map((uri) => ({
        uri,
        ...named(uri),
      })),
    templates: async () => [
      { uriTemplate: 'test://template/{id}/data', ...named('template'), mimeType: 'application/json' },
    ],
    async read(_remit, uri) {
      const found = readFixture(uri)
      return found && { contents: [found] }
    },
  },
  prompts: {
    list: async () =>
      Object.keys(prompts).map((name) => ({
        ...named(name),
        arguments: (promptArguments[name] ?? []).map((argument) => ({ ...named(argument), required: true })),
      })),
    get: async (_remit, name, args) => (Object.hasOwn(prompts, name) ? prompts[name]?.(args) : undefined),
  },
  async complete(_remit, { ref, argument }) {
    if (ref.type !== 'ref/prompt' || !Object.hasOwn(prompts, ref.name)) return undefined
    return ['paris', 'park', 'party', 'test'].filter((word) => word.startsWith(argument.value))
  },
  onChange: () => undefined,
}
