import type { ListenerKind } from './listeners.ts'

/**
 * Who may come in: `public` anybody; `device` a board's token; `page` anybody once an owner exists (on the LAN);
 * `console` someone signed in; `setup` the holder of the setup secret; `client` an outside program's token for MCP.
 */
export type Scope = 'public' | 'device' | 'page' | 'console' | 'setup' | 'client'

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'UPGRADE'
  readonly path: string
  readonly scope: Scope
  readonly listeners: readonly ListenerKind[]
  /** Largest body, bytes. */
  readonly bodyLimit?: number
}

const both = ['tls', 'loopback'] as const
const kib = 1024

/** Every way in. What is not in this table does not exist: the server refuses to start with a route of another origin. */
export const routes = {
  health: { method: 'GET', path: '/api/health', scope: 'public', listeners: both },
  caGuide: { method: 'GET', path: '/ca', scope: 'public', listeners: both },
  caPem: { method: 'GET', path: '/ca.pem', scope: 'public', listeners: both },
  caDer: { method: 'GET', path: '/ca.der', scope: 'public', listeners: both },

  provision: { method: 'POST', path: '/provision', scope: 'public', listeners: both, bodyLimit: 64 * kib },
  telemetry: { method: 'POST', path: '/telemetry', scope: 'device', listeners: both, bodyLimit: 256 * kib },
  session: { method: 'UPGRADE', path: '/session', scope: 'device', listeners: both },
  tools: { method: 'UPGRADE', path: '/tools', scope: 'device', listeners: both },

  setupPage: { method: 'GET', path: '/setup', scope: 'setup', listeners: both },
  setup: { method: 'POST', path: '/auth/setup', scope: 'setup', listeners: both, bodyLimit: 8 * kib },
  signIn: { method: 'POST', path: '/auth/sign-in', scope: 'page', listeners: both, bodyLimit: 8 * kib },
  signOut: { method: 'POST', path: '/auth/sign-out', scope: 'page', listeners: both, bodyLimit: 8 * kib },
  desktop: { method: 'POST', path: '/auth/desktop', scope: 'page', listeners: ['loopback'], bodyLimit: 8 * kib },
  authState: { method: 'GET', path: '/auth/state', scope: 'page', listeners: both },

  mcpPost: { method: 'POST', path: '/mcp', scope: 'client', listeners: both, bodyLimit: 1024 * kib },
  mcpStream: { method: 'GET', path: '/mcp', scope: 'client', listeners: both },
  mcpEnd: { method: 'DELETE', path: '/mcp', scope: 'client', listeners: both },

  rpc: { method: 'UPGRADE', path: '/rpc', scope: 'console', listeners: both },
  image: { method: 'POST', path: '/api/images', scope: 'console', listeners: both, bodyLimit: 64 * kib * kib },
  console: { method: 'GET', path: '/*', scope: 'page', listeners: both },
} as const satisfies Record<string, Route>

export type RouteName = keyof typeof routes
export type HttpRouteName = {
  [Name in RouteName]: (typeof routes)[Name]['method'] extends 'UPGRADE' ? never : Name
}[RouteName]
