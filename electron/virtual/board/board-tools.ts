import { z } from 'zod'
import { applyCall, initialState, thingMembers, type ThingState } from '../../contract/thing-engine.ts'
import { ThingModel } from '../../contract/thing.ts'

/** A tool as a board implements it: it never validates (iotta-protocol §4), it acts on its state and answers. */
export interface BoardTool {
  readonly name: string
  readonly description?: string
  /** Present when the board is a full MCP server that advertises schemas (`tools/list`). */
  readonly inputSchema?: Record<string, unknown>
  readonly delayMs?: number
  call(args: Readonly<Record<string, unknown>>): Record<string, unknown> | { error: { code: number; message: string } }
}

/** What the drawn board shows: the lamp, the fan and so on. */
export interface BoardState {
  lamp: { on: boolean; brightness: number }
  led: { r: number; g: number; b: number }
  fan: { on: boolean; speed: number }
  celsius: number
  volume: number
}

export function initialBoardState(): BoardState {
  return {
    lamp: { on: false, brightness: 80 },
    led: { r: 0, g: 0, b: 0 },
    fan: { on: false, speed: 50 },
    celsius: 23.5,
    volume: 60,
  }
}

/** The six tools that every registry is born with (iotta-protocol §4), acting on `state`. */
export function bornBoardTools(state: BoardState, changed: () => void): BoardTool[] {
  const ok = { status: 'ok' }
  const number = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback)
  const act = (run: () => void) => {
    run()
    changed()
    return ok
  }
  return [
    {
      name: 'set_lamp',
      call: (args) =>
        act(
          () =>
            (state.lamp = { on: args['on'] === true, brightness: number(args['brightness'], state.lamp.brightness) }),
        ),
    },
    {
      name: 'set_led_color',
      call: (args) =>
        act(() => (state.led = { r: number(args['r'], 0), g: number(args['g'], 0), b: number(args['b'], 0) })),
    },
    {
      name: 'set_fan',
      call: (args) =>
        act(() => (state.fan = { on: args['on'] === true, speed: number(args['speed'], state.fan.speed) })),
    },
    { name: 'read_temperature', call: () => ({ celsius: state.celsius }) },
    { name: 'set_volume', call: (args) => act(() => (state.volume = number(args['volume'], state.volume))) },
    { name: 'get_volume', call: () => ({ volume: state.volume }) },
  ]
}

/** `--tools FILE`: tools with a fixed result, an error, or a delay, for tests and lessons. */
export const ToolFile = z.array(
  z.object({
    name: z.string().min(1).max(64),
    description: z.string().max(2000).optional(),
    inputSchema: z.record(z.string(), z.unknown()).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.number().int(), message: z.string() }).optional(),
    delayMs: z.number().min(0).max(600_000).optional(),
  }),
)
export type ToolFile = z.infer<typeof ToolFile>

export function scriptedTools(file: ToolFile): BoardTool[] {
  return file.map((row) => ({
    name: row.name,
    ...(row.description === undefined ? {} : { description: row.description }),
    ...(row.inputSchema === undefined ? {} : { inputSchema: row.inputSchema }),
    ...(row.delayMs === undefined ? {} : { delayMs: row.delayMs }),
    call: () => (row.error ? { error: row.error } : (row.result ?? { status: 'ok' })),
  }))
}

/** `--tools FILE` with a Thing: the board plays its model. `tools`: the tool of each member, where it has another name. */
export const ThingFile = z.object({
  thing: ThingModel,
  tools: z.record(z.string(), z.string()).default({}),
})
export type ThingFile = z.infer<typeof ThingFile>

/** A refused call is an error of its own, as of a real board's firmware; the state is told at every change. */
export function thingBoardTools(file: ThingFile, changed: (state: ThingState) => void = () => undefined): BoardTool[] {
  let state = initialState(file.thing)
  return thingMembers(file.thing).map((member) => ({
    name: file.tools[member.key] ?? member.tool,
    call(args) {
      const step = applyCall(file.thing, state, { member: member.key, arguments: args })
      if (!step.result) return { error: { code: -32602, message: step.error?.message ?? 'refused' } }
      state = step.state
      if (step.changed.length > 0) changed(state)
      return { ...step.result }
    },
  }))
}
