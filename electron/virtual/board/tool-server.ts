import { z } from 'zod'
import { pause } from '../../base/deadline.ts'
import type { BoardTool } from './board-tools.ts'

const Request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
})
const Call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) })

const methodNotFound = -32601
const invalidParams = -32602

interface ToolServerOptions {
  readonly tools: readonly BoardTool[]
  readonly send: (message: string) => void
  /** The server has asked what the board can do: from now on its tools are known there. */
  readonly onDeclared: () => void
  readonly onCall: (call: { name: string; arguments: Readonly<Record<string, unknown>>; answer: unknown }) => void
}

/** The board's side of the tool channel: JSON-RPC 2.0, one message a text frame (iotta-protocol §4). */
export function createToolServer({ tools, send, onCall, onDeclared }: ToolServerOptions) {
  const advertised = tools.filter((tool) => tool.inputSchema)

  function answer(id: string | number | undefined, body: Record<string, unknown>): void {
    if (id !== undefined) send(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
  }

  async function call(id: string | number | undefined, params: unknown): Promise<void> {
    const parsed = Call.safeParse(params)
    if (!parsed.success) return answer(id, { error: { code: invalidParams, message: 'name and arguments expected' } })
    if (parsed.data.name === 'declare_capabilities') return declare(id, parsed.data.arguments['scope'])
    const tool = tools.find((candidate) => candidate.name === parsed.data.name)
    if (!tool) return answer(id, { error: { code: invalidParams, message: `no tool ${parsed.data.name}` } })
    if (tool.delayMs) await pause(tool.delayMs)
    const result = tool.call(parsed.data.arguments)
    onCall({ name: tool.name, arguments: parsed.data.arguments, answer: result })
    answer(id, 'error' in result ? { error: result.error } : { result })
  }

  function declare(id: string | number | undefined, scope: unknown): void {
    const names = tools.map((tool) => ({ name: tool.name }))
    const audio = { codecs: ['opus', 'pcm'], sample_rate: 16_000, channels: 1, frame_duration: 60 }
    onDeclared()
    if (scope === 'all') answer(id, { result: { tools: names, audio, features: { tools: true, speaker: true } } })
    else if (scope === 'tools') answer(id, { result: { tools: names } })
    else if (scope === 'audio') answer(id, { result: { tools: [], audio } })
    else answer(id, { error: { code: invalidParams, message: 'unknown scope' } })
  }

  /** A board whose tools carry schemas is a full MCP server; one that only names them says so by refusing. */
  function initialize(id: string | number | undefined): void {
    if (advertised.length === 0) return answer(id, { error: { code: methodNotFound, message: 'method not found' } })
    const server = { name: 'roost-virtual', version: '1' }
    answer(id, { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: server } })
  }

  function list(id: string | number | undefined): void {
    const rows = advertised.map(({ name, description, inputSchema }) => ({
      name,
      description: description ?? name,
      inputSchema,
    }))
    answer(id, { result: { tools: rows } })
  }

  return {
    receive(text: string): void {
      const request = parseRequest(text)
      if (!request) return
      if (request.method === 'tools/call') void call(request.id, request.params)
      else if (request.method === 'initialize') initialize(request.id)
      else if (request.method === 'tools/list' && advertised.length > 0) list(request.id)
      else if (request.method === 'ping') answer(request.id, { result: {} })
      else answer(request.id, { error: { code: methodNotFound, message: 'method not found' } })
    },
  }
}

function parseRequest(text: string): z.infer<typeof Request> | undefined {
  try {
    return Request.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
