import { EventEmitter } from 'node:events'

// Every object that the stand-in hands out is made here. Asking it for a name that nobody wrote throws: no test passes
// on an API that is not imitated (stack.md §2).

export interface Imitation {
  readonly members: readonly string[]
  readonly events: readonly string[]
}

type Listener = (...args: never[]) => void

export interface Events {
  /** What Electron's emitters offer; an event that nobody emits cannot be listened to. */
  readonly members: {
    on(event: string, listener: Listener): void
    once(event: string, listener: Listener): void
    off(event: string, listener: Listener): void
  }
  readonly names: readonly string[]
  emit(event: string, ...args: readonly unknown[]): boolean
}

export interface Preventable {
  preventDefault(): void
  defaultPrevented: boolean
}

const known = new Map<string, Imitation>()

/** Names that the language looks up on any object by itself: `await`, JSON, `new`. */
const asked = new Set(['then', 'toJSON', 'prototype', 'name', 'length', 'displayName'])

/** What has been handed out so far; its names are compared with electron.d.ts by a test. */
export const imitations = (): Readonly<Record<string, Imitation>> => Object.fromEntries(known)

export const notImitated = (what: string): Error => new Error(`not imitated: ${what}`)

/** `name` is the one that electron.d.ts has for it. */
export function imitate<T extends object>(name: string, members: T, events?: Events): T {
  // Statics and instances of one class come in turn.
  const before = known.get(name)
  known.set(name, {
    members: [...new Set([...(before?.members ?? []), ...Object.keys(members)])],
    events: [...new Set([...(before?.events ?? []), ...(events?.names ?? [])])],
  })
  return new Proxy(members, {
    get(target, key) {
      if (typeof key === 'symbol' || key in target || asked.has(key)) return Reflect.get(target, key) as unknown
      throw notImitated(`${name}.${key}`)
    },
    set(_target, key) {
      throw notImitated(`setting ${name}.${String(key)}`)
    },
  })
}

export function createEvents(name: string, names: readonly string[]): Events {
  // Node's types want listeners that take anything.
  const emitter = new EventEmitter() as unknown as {
    on(event: string, listener: Listener): unknown
    once(event: string, listener: Listener): unknown
    off(event: string, listener: Listener): unknown
    emit(event: string, ...args: readonly unknown[]): boolean
  }
  const checked = (event: string) => {
    if (!names.includes(event)) throw notImitated(`the event '${event}' of ${name}`)
    return event
  }
  return {
    names,
    members: {
      on: (event, listener) => void emitter.on(checked(event), listener),
      once: (event, listener) => void emitter.once(checked(event), listener),
      off: (event, listener) => void emitter.off(checked(event), listener),
    },
    emit: (event, ...args) => emitter.emit(checked(event), ...args),
  }
}

export function preventable<T extends object>(fields: T): T & Preventable {
  const event = {
    ...fields,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true
    },
  }
  return event
}
