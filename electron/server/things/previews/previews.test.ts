import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyCall, initialState, thingMembers } from '../../../contract/thing-engine.ts'
import { type PreviewKind, ThingModel } from '../../../contract/thing.ts'
import { wireLine } from '../../../contract/uart-bytes.ts'
import { readMcuLine } from '../../../contract/uart-lint.ts'
import { boardLine } from '../../../contract/uart-wire.ts'
import { thingTemplates } from '../templates.ts'
import { thingPreviews } from './previews.ts'

const run = promisify(execFile)
const headers = fileURLToPath(new URL('../../../../firmware/headers', import.meta.url))
const strict = ['-Wall', '-Wextra', '-Werror', '-I', headers]
const template = (id: string) => thingTemplates.find((row) => row.id === id)!.model
const air = template('air_conditioner')
const files = (name: string, model: ThingModel, kind: PreviewKind) =>
  thingPreviews(name, model).find((preview) => preview.kind === kind)!.files

/** Names that are words of C and C++, texts that would break out of a literal or a comment. */
const nasty = ThingModel.parse({
  title: { en: 'Bad "quotes" \\', zh: '坏' },
  description: 'a\nb */ ??/ %s \u0001',
  properties: [
    { name: 'class', type: 'boolean', access: 'read-write', description: 'ends in \\' },
    { name: 'int', type: 'number', access: 'read', minimum: -1.5, step: 0.5 },
    { name: 'register', type: 'string', access: 'write', description: '"\u2028' },
    { name: 'for', type: 'integer', access: 'read-write', maximum: 9, step: 3 },
    { name: 'list', type: 'string', access: 'read-write', values: ['a "b"', 'c\\d'] },
  ],
  methods: [
    { name: 'return', params: [] },
    {
      name: 'set_all',
      params: [{ name: 'new', type: 'string' }],
      sets: { register: { param: 'new' }, int: { value: 2 } },
    },
  ],
  events: [],
})

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-previews-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function written(sources: readonly { name: string; text: string }[]): Promise<string[]> {
  return Promise.all(
    sources.map(async ({ name, text }) => {
      const path = join(dir, name)
      await writeFile(path, text)
      return path
    }),
  )
}

async function built(name: string, sources: readonly { name: string; text: string }[]): Promise<string> {
  const paths = await written(sources)
  const program = join(dir, name)
  const compiler = paths.some((path) => path.endsWith('.cc')) ? ['g++', '-std=c++17'] : ['gcc', '-std=c11']
  await run(compiler[0]!, [...compiler.slice(1), ...strict, '-o', program, ...paths, '-lm'])
  return program
}

async function ask(program: string, input: string): Promise<string[]> {
  const running = run(program)
  running.child.stdin?.end(input)
  return (await running).stdout.split('\n').filter((line) => line !== '')
}

test(
  'the stubs of every part, and of a model full of traps, compile without a warning',
  { timeout: 240_000 },
  async () => {
    for (const [name, model] of [
      ...thingTemplates.map(({ id, model: drawn }) => [id, drawn] as const),
      ['nasty', nasty] as const,
    ]) {
      const c = await written(
        [...files(name, model, 'iotta-c'), ...files(name, model, 'uart-mcp')].filter(
          ({ language }) => language === 'c',
        ),
      )
      const stub = files(name, model, 'esp-mcp-server')[0]!
      const use = { name: `use_${name}.cc`, text: `#include "${stub.name}"\n` }
      await written([stub])
      const cpp = await written([...files(name, model, 'esp-thing'), use])
      await run('gcc', ['-std=c11', ...strict, '-fsyntax-only', ...c])
      await run('g++', ['-std=c++17', ...strict, '-I', dir, '-fsyntax-only', ...cpp])
    }
  },
)

const calls: readonly (readonly [string, Record<string, unknown>])[] = [
  ['set_power', { power: true }],
  ['get_power', {}],
  ['set_temperature', { temperature: 22 }],
  ['get_temperature', {}],
  ['set_temperature', { temperature: 31 }],
  ['set_temperature', { temperature: 20.5 }],
  ['set_temperature', { temperature: '22' }],
  ['set_temperature', {}],
  ['set_mode', { mode: 'heat' }],
  ['set_mode', { mode: 'toast' }],
  ['get_mode', {}],
  ['set_eco', { eco: 'true' }],
  ['get_eco', {}],
  ['set_fan_speed', { fan_speed: 5 }],
  ['get_fan_speed', {}],
]

/** What the simulator answers; null: refused. */
function played(): unknown[] {
  let state = initialState(air)
  return calls.map(([tool, args]) => {
    const member = thingMembers(air).find((candidate) => candidate.tool === tool)!
    const step = applyCall(air, state, { member: member.key, arguments: args })
    state = step.state
    return step.result
  })
}

test(
  'the compiled iotta handlers of the air conditioner answer as the simulator does',
  { timeout: 60_000 },
  async () => {
    const main = `#include "iotta_tools.h"
extern const iotta_tool air_tools[];
extern const size_t air_tool_count;
int main(void) {
  char line[1024];
  while (fgets(line, sizeof line, stdin)) {
    char name[65];
    iotta_answer answer = {.message = NULL};
    const char *found = "no tool";
    if (!roost_json_text(roost_json_member(line, "name"), name, sizeof name)) return 1;
    for (size_t i = 0; i < air_tool_count; i++)
      if (strcmp(air_tools[i].name, name) == 0)
        found = air_tools[i].call(roost_json_member(line, "arguments"), &answer) ? answer.result : "null";
    puts(found);
  }
  return 0;
}
`
    const program = await built('iotta', [{ name: 'main.c', text: main }, ...files('air', air, 'iotta-c')])
    const input = calls.map(([name, args]) => JSON.stringify({ name, arguments: args })).join('\n')
    expect((await ask(program, `${input}\n`)).map((line) => JSON.parse(line) as unknown)).toEqual(played())
  },
)

test(
  'the compiled microcontroller answers as the simulator does, in lines without a fault',
  { timeout: 60_000 },
  async () => {
    const main = `#include "roost_json.h"
extern bool air_uart_line(const char *line, char *answer, size_t size);
int main(void) {
  char line[1024];
  char answer[8192];
  while (fgets(line, sizeof line, stdin)) fputs(air_uart_line(line, answer, sizeof answer) ? answer : "-\\n", stdout);
  return 0;
}
`
    const sources = files('air', air, 'uart-mcp').filter(({ language }) => language === 'c')
    const program = await built('mcu', [{ name: 'mcu.c', text: main }, ...sources])
    const lines = [
      boardLine({ type: 'error', message: 'Tools NULL' }),
      boardLine({ type: 'ok' }),
      ...calls.map(([name, args]) => boardLine({ type: 'call', name, arguments: args })),
      '{"role":"AI board","msgType":"MCP","MCP":{"params": {"name":"get_power","arguments": {}}}}\r\n',
      '{"MCP":{"params":{"name":"nothing"}}}\r\n',
      '{"MCP":[[[[\r\n',
    ]
    const heard = await ask(program, lines.join(''))
    expect(`${heard[0]}\n`).toBe(files('air', air, 'uart-mcp')[0]!.text)
    for (const line of [heard[0]!, ...heard.slice(2, 2 + calls.length)])
      expect(readMcuLine(wireLine(Buffer.from(`${line}\n`)))).toMatchObject({ faults: [] })
    const status = heard.slice(2).map((line) => /"status":"([^"]*)"\}/.exec(line)?.[1] ?? line)
    const wanted = (played() as ({ status: string } | { value: unknown } | null)[]).map((result) =>
      result === null ? 'false' : 'value' in result ? String(result.value) : 'true',
    )
    expect(heard[1]).toBe('-')
    expect(status).toEqual([...wanted, 'true', '-', '-'])
  },
)

test('a changed range stands in every preview', () => {
  const narrow = {
    ...air,
    properties: air.properties.map((p) => (p.name === 'temperature' ? { ...p, minimum: 18, maximum: 27 } : p)),
  }
  const [before, after] = [thingPreviews('air', air), thingPreviews('air', narrow)]
  for (const [index, { kind, files: made }] of after.entries()) {
    for (const [at, { name, text }] of made.entries()) {
      expect([kind, name, text.includes('18'), text.includes('27')]).toEqual([kind, name, true, true])
      expect(text).not.toBe(before[index]!.files[at]!.text)
    }
  }
})

test('what a target cannot hold is told: words for ranges, fractions, events, answers, reserved names', () => {
  const losses = (id: string, kind: PreviewKind) =>
    thingPreviews(id, template(id))
      .find((preview) => preview.kind === kind)!
      .losses.map(({ code, path }) => `${code} ${path}`)
  expect(losses('climate_sensor', 'mcp-tools')).toEqual([
    'facts-in-words properties/temperature',
    'fraction-lost properties/temperature',
    'facts-in-words properties/humidity',
    'fraction-lost properties/humidity',
    'events-lost events/too_humid',
  ])
  expect(losses('lamp', 'legacy-descriptor')).toContain('answer-lost methods/blink')
  expect(losses('lamp', 'iotta-c')).toEqual(['events-lost events/overheat'])
  expect(losses('speaker', 'uart-mcp')).toContain('uart-reserved-tool set:volume')
  expect(files('speaker', template('speaker'), 'uart-mcp')[0]!.text).not.toContain('set_volume')
  expect(losses('led_ring', 'uart-mcp')).toContain('uart-double-property call:set_led')
})

test('the legacy descriptor and the tool list have the shapes of stock firmware', () => {
  const descriptor = JSON.parse(files('air', air, 'legacy-descriptor')[0]!.text) as Record<string, unknown>
  expect(descriptor).toMatchObject({
    type: 'iot',
    update: true,
    descriptors: [
      {
        name: 'Air',
        properties: {
          temperature: { type: 'number', description: 'Wanted temperature in degrees Celsius (16 to 30, Cel)' },
        },
        methods: { SetTemperature: { parameters: { temperature: { type: 'number' } } } },
      },
    ],
  })
  const list = JSON.parse(files('air', air, 'mcp-tools')[0]!.text) as { tools: Record<string, unknown>[] }
  expect(list.tools.find(({ name }) => name === 'self.air.set_temperature')).toEqual({
    name: 'self.air.set_temperature',
    description: 'Sets: Wanted temperature in degrees Celsius (16 to 30, Cel)',
    inputSchema: {
      type: 'object',
      properties: { temperature: { type: 'integer', minimum: 16, maximum: 30 } },
      required: ['temperature'],
    },
  })
})
