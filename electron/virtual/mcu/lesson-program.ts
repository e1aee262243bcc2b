import type { McuProgram } from './mcu.ts'

type Value = boolean | number | string

/** One tool a property, as the protocol's own document does it: arguments set it, none ask for it (uart-mcp.md §3). */
const parts = {
  ACSwitch: {
    property: 'enabled',
    type: 'boolean',
    description: '控制空调的开关',
    fits: (value: unknown) => typeof value === 'boolean',
  },
  ACTemperature: {
    property: 'temperature',
    type: 'integer',
    description: '设置空调的温度:16-30',
    fits: (value: unknown) => isWhole(value, 16, 30),
  },
  ACFanSpeed: {
    property: 'speed',
    type: 'integer',
    description: '设置空调的风速:1-5',
    fits: (value: unknown) => isWhole(value, 1, 5),
  },
  ACMode: {
    property: 'mode',
    type: 'string',
    description: '设置空调的模式:cool/heat/fan/dry',
    fits: (value: unknown) => typeof value === 'string' && ['cool', 'heat', 'fan', 'dry'].includes(value),
  },
} as const

function isWhole(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

/** The air conditioner of the lesson, for a microcontroller without a Thing. */
export function playLesson(): McuProgram {
  const state = new Map<string, Value>([
    ['ACSwitch', false],
    ['ACTemperature', 26],
    ['ACFanSpeed', 1],
    ['ACMode', 'cool'],
  ])
  return {
    tools: Object.entries(parts).map(([name, { property, type, description }]) => ({
      name,
      description,
      properties: { [property]: { type, description } },
    })),
    call(name, args) {
      const part = Object.hasOwn(parts, name) ? parts[name as keyof typeof parts] : undefined
      if (!part) return 'false'
      if (Object.keys(args).length === 0) return String(state.get(name))
      const value = args[part.property]
      if (!part.fits(value)) return 'false'
      state.set(name, value as Value)
      return 'true'
    },
  }
}
