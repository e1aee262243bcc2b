import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { ToolContent } from '../contract/tool-registry.ts'
import { toolStubs } from './tool-stubs.ts'

const run = promisify(execFile)
const headers = fileURLToPath(new URL('../../firmware/headers', import.meta.url))

const content = (args: Record<string, unknown>): ToolContent =>
  ToolContent.parse({
    description: 'Sets "everything" \\',
    arguments: args,
    result: null,
    danger: 'physical',
    idempotent: true,
    timeoutMs: 5000,
    speech: {},
  })

const lamp = content({
  type: 'object',
  required: ['on'],
  properties: {
    on: { type: 'boolean' },
    brightness: { type: 'integer', minimum: 0, maximum: 100, multipleOf: 5 },
    place: { type: 'string', enum: ['desk', 'door'] },
    colour: { type: 'object', properties: {} },
    'Not-C': { type: 'boolean' },
    mixed: { enum: [1, 'a'] },
  },
})

test('a tool of any name becomes C for both channels that compiles without a warning', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'roost-stubs-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  for (const name of ['set_lamp', 'Lamp.set-all', '9.lives', 'on']) {
    for (const { files } of toolStubs(name, lamp)) {
      const paths = await Promise.all(
        files
          .filter((file) => file.language === 'c')
          .map(async (file) => {
            const path = join(dir, file.name)
            await writeFile(path, file.text)
            return path
          }),
      )
      expect(paths).toHaveLength(1)
      await run('gcc', ['-std=c11', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-I', headers, ...paths])
      expect(files.every((file) => file.text.includes(`"${name}"`) || file.text.includes(`\\"${name}\\"`))).toBe(true)
    }
  }
})

test('what C cannot hold is told, and what is optional too', () => {
  const [iotta, uart] = toolStubs('set_lamp', lamp)
  expect([iotta?.kind, uart?.kind]).toEqual(['iotta-c', 'uart-mcp'])
  const told = iotta?.losses.map(({ code, path }) => `${code} ${path}`)
  expect(told).toEqual([
    'parameter-lost colour',
    'parameter-lost Not-C',
    'parameter-lost mixed',
    'parameter-always brightness',
    'parameter-always place',
  ])
  expect(uart?.losses.map(({ code, path }) => `${code} ${path}`)).toContain('facts-in-words brightness')
})

test('a schema that is not one gives a handler without parameters', () => {
  for (const args of [{}, { properties: 7 }, { properties: { a: null, b: [] } }]) {
    const [iotta] = toolStubs('ring', content(args))
    expect(iotta?.files[0]?.text).toContain('{"ring", call_ring_tool}')
  }
})
