import { z } from 'zod'
import { ToolName } from './tool.ts'

/** An outside MCP server whose tools the house may use. Secret values (env, headers) go in and never come out. */
export const McpServerInput = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,23}$/),
  transport: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('stdio'),
      command: z.string().min(1).max(500),
      args: z.array(z.string().max(1000)).max(50),
      /** A value of null keeps the stored one. */
      env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(4000).nullable()),
      directory: z.string().max(1000).nullable(),
    }),
    z.object({
      kind: z.literal('http'),
      url: z.url().max(1000),
      headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().max(4000).nullable()),
    }),
  ]),
  enabled: z.boolean(),
})
export type McpServerInput = z.infer<typeof McpServerInput>

export const McpServer = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['stdio', 'http']),
  /** Command line or URL, without secrets. */
  where: z.string(),
  /** What is started, part by part; null for an address. Its environment is secret. */
  program: z
    .object({ command: z.string(), args: z.array(z.string()), directory: z.string().nullable() })
    .nullable()
    .optional(),
  /** Names of the environment variables or headers that are set. */
  secretNames: z.array(z.string()),
  enabled: z.boolean(),
  state: z.enum(['off', 'starting', 'ready', 'waiting', 'failed']),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  /** When the next try is, while `waiting`. */
  retryAt: z.number().nullable(),
  restarts: z.number().int(),
  tools: z.array(
    z.object({
      name: z.string(),
      /** The name in the registry: `mcp_<server>_<tool>`. */
      toolName: ToolName,
      description: z.string(),
      /** Danger and schemas as JSON text: they hold words for the model too, so a person sees them before the yes. */
      schemas: z.string().optional(),
      /** SHA-256 of description, schemas and danger; a changed one needs a new yes before it is callable. */
      hash: z.string(),
      consent: z.enum(['given', 'new', 'changed']),
      /** What was agreed to, while it is `changed`. */
      before: z.string().nullable(),
      schemasBefore: z.string().nullable().optional(),
    }),
  ),
  log: z.array(z.string()).max(50),
})
export type McpServer = z.infer<typeof McpServer>

/** An outside program that may use the house's tools over `/mcp`. `readOnly`: tools of class `read` alone. */
export const McpClient = z.object({
  id: z.string(),
  name: z.string(),
  purpose: z.enum(['mcp', 'api', 'metrics']),
  readOnly: z.boolean(),
  /** Tool names; an empty list means nothing may be called. */
  allowed: z.array(ToolName).max(2000),
  /** Empty: all devices. */
  deviceIds: z.array(z.string()).max(200),
  /** May read recent transcripts as resources. */
  transcripts: z.boolean(),
  createdAt: z.number(),
  expiresAt: z.number(),
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
  calls: z.number().int(),
})
export type McpClient = z.infer<typeof McpClient>
