import { expect, test } from 'vitest'
import { McpServerInput, type McpServer } from '../../electron/contract/mcp.ts'
import { clientSnippets, emptyMcpForm, mcpFault, mcpFormOf, mcpInput } from './mcp-input.ts'

const server: McpServer = {
  id: 'files',
  name: 'files',
  kind: 'stdio',
  where: 'npx -y server /home/a b',
  program: { command: 'npx', args: ['-y', 'server', '/home/a b'], directory: '/home/a b' },
  secretNames: ['TOKEN'],
  enabled: true,
  state: 'ready',
  errorCode: null,
  errorMessage: null,
  retryAt: null,
  restarts: 0,
  tools: [],
  log: [],
}

test('what the form sends fits the contract, and a stored secret stays where it is', () => {
  const form = mcpFormOf(server)

  expect(form).toMatchObject({ command: 'npx', args: '-y\nserver\n/home/a b' })
  expect(McpServerInput.parse(mcpInput(form))).toEqual({
    name: 'files',
    enabled: true,
    transport: {
      kind: 'stdio',
      command: 'npx',
      args: ['-y', 'server', '/home/a b'],
      env: { TOKEN: null },
      directory: '/home/a b',
    },
  })
})

test('each thing that the contract would refuse is named', () => {
  const good = { ...emptyMcpForm, name: 'files', command: 'npx' }

  expect(mcpFault(good)).toBeNull()
  expect(mcpFault({ ...good, name: 'Files!' })).toBe('name')
  expect(mcpFault({ ...good, command: ' ' })).toBe('command')
  expect(mcpFault({ ...good, kind: 'http', url: 'file:///etc/passwd' })).toBe('url')
  expect(mcpFault({ ...good, secrets: [{ name: 'A B', value: 'x' }] })).toBe('secret')
})

test('each snippet carries the address and the token', () => {
  for (const { text } of clientSnippets('https://roost.local:8443', 'rst_x')) {
    expect(text).toContain('https://roost.local:8443')
    expect(text).toContain('rst_x')
  }
})
