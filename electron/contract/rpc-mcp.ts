import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { McpClient, McpServer, McpServerInput } from './mcp.ts'

const byId = z.object({ id: z.string() })
const done = z.object({ ok: z.literal(true) })

export const mcpRows = {
  mcp: {
    watchServers: oc.output(eventIterator(z.array(McpServer))),
    putServer: oc.input(z.object({ id: z.string().optional(), server: McpServerInput })).output(byId),
    removeServer: oc.input(byId).output(done),
    restartServer: oc.input(byId).output(done),
    /** Yes to the description and schemas that have this hash, and to no others. */
    consent: oc.input(byId.extend({ tool: z.string(), hash: z.string() })).output(done),
    clients: oc.output(z.array(McpClient)),
    /** The token is shown once and kept as a hash. */
    makeClient: oc
      .input(
        McpClient.pick({
          name: true,
          purpose: true,
          readOnly: true,
          allowed: true,
          deviceIds: true,
          transcripts: true,
        }).extend({
          days: z.number().int().min(1).max(3650),
        }),
      )
      .output(z.object({ client: McpClient, token: z.string() })),
    updateClient: oc
      .input(McpClient.pick({ id: true, readOnly: true, allowed: true, deviceIds: true, transcripts: true }))
      .output(done),
    revokeClient: oc.input(byId).output(done),
  },
}
