import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import type { McpClient } from '../../electron/contract/mcp.ts'
import type { RpcClient } from '../../electron/server/rpc/rpc-client.ts'

/** A client with no rights but those given. */
export async function makeClient(rpc: RpcClient, more: Partial<McpClient> & { days?: number } = {}) {
  return rpc.mcp.makeClient({
    name: 'outside',
    purpose: 'mcp',
    readOnly: true,
    allowed: [],
    deviceIds: [],
    transcripts: false,
    days: 1,
    ...more,
  })
}

/** The official SDK as an outside program, over the plain listener. */
export async function connectClient(loopback: string, token: string) {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', loopback), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 100,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 0,
    },
  })
  const client = new Client({ name: 'outside', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(transport)
  return { client, transport }
}

/** Puts a token before each request: the conformance runner has no option for one. Host and Origin pass as they came. */
export async function tokenProxy(loopback: string, token: string): Promise<string> {
  const { hostname, port } = new URL(loopback)
  const proxy = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    const on = httpRequest({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    on.on('error', () => response.destroy())
    response.on('close', () => on.destroy())
    request.pipe(on)
  })
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
}
