// Programs for the page. Each is sent as text, so it may use nothing from outside of itself. The two worlds of a window
// share no object: they talk by DOM events with JSON text, and dispatching an event is synchronous.

/** Values that JSON has no words for, in both directions; also used in main. */
export interface Wire {
  encode(value: unknown): string
  decode(text: string): unknown
}

export function createWire(): Wire {
  const fromBytes = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return {
    encode: (value) =>
      JSON.stringify({ value }, (_key, one: unknown) => {
        if (one === undefined) return { $: 'undefined' }
        if (one instanceof Uint8Array) return { $: 'bytes', text: btoa(fromBytes(one)) }
        if (typeof one === 'function' || typeof one === 'symbol') throw new Error('An object could not be cloned.')
        return one
      }),
    decode(text) {
      const parsed = JSON.parse(text, (_key, one: unknown) => {
        const tagged = one as { $?: unknown; text?: string } | null
        if (tagged?.$ !== 'bytes') return one
        return Uint8Array.from(atob(tagged.text ?? ''), (letter) => letter.charCodeAt(0))
      }) as unknown
      return clear(parsed, 'value')
      // JSON.parse drops what its reviver answers undefined for, which is right for a member but not for a list's item.
      function clear(holder: unknown, key: string): unknown {
        const one = (holder as Record<string, unknown>)[key]
        if (typeof one !== 'object' || one === null || one instanceof Uint8Array) return one
        if ((one as { $?: unknown }).$ === 'undefined') return undefined
        for (const name of Object.keys(one)) (one as Record<string, unknown>)[name] = clear(one, name)
        return one
      }
    },
  }
}

interface Shape {
  readonly kind: 'function' | 'object' | 'value'
  readonly id?: number
  readonly members?: Readonly<Record<string, Shape>>
  readonly value?: unknown
}

interface WorldMessage {
  readonly type: 'expose' | 'call' | 'settle' | 'callback'
  readonly id: number
  readonly key?: string
  readonly shape?: Shape
  readonly args?: readonly unknown[]
  readonly callId?: number
  readonly ok?: boolean
  readonly value?: unknown
}

/** The page's side of contextBridge: frozen copies whose functions reach over. */
export function mainWorld(event: string, makeWire: typeof createWire): void {
  const wire = makeWire()
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const callbacks = new Map<number, (...args: unknown[]) => unknown>()
  let nextId = 1
  const say = (message: WorldMessage) =>
    window.dispatchEvent(new CustomEvent(`${event}-in`, { detail: wire.encode(message) }))

  function call(id: number, args: readonly unknown[]): Promise<unknown> {
    const callId = nextId++
    const sent = args.map((arg) => {
      if (typeof arg !== 'function') return arg
      const callback = nextId++
      callbacks.set(callback, arg as () => unknown)
      return { $callback: callback }
    })
    const answer = Promise.withResolvers<unknown>()
    waiting.set(callId, answer)
    say({ type: 'call', id, args: sent, callId })
    return answer.promise
  }

  function build(shape: Shape): unknown {
    if (shape.kind === 'value') return shape.value
    if (shape.kind === 'function') return Object.freeze((...args: unknown[]) => call(shape.id ?? 0, args))
    const members = Object.entries(shape.members ?? {}).map(([name, member]) => [name, build(member)] as const)
    return Object.freeze(Object.fromEntries(members))
  }

  window.addEventListener(`${event}-out`, (raw) => {
    const message = wire.decode((raw as CustomEvent<string>).detail) as WorldMessage
    if (message.type === 'expose') {
      const value = build(message.shape ?? { kind: 'value' })
      Object.defineProperty(window, message.key ?? '', { value, enumerable: true })
    } else if (message.type === 'settle') {
      const answer = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.ok) answer?.resolve(message.value)
      else answer?.reject(new Error(String(message.value)))
    } else if (message.type === 'callback') callbacks.get(message.id)?.(...(message.args ?? []))
  })
}

export interface IsolatedOptions {
  readonly event: string
  readonly binding: string
}

/** The preload's side: a sandboxed `require` that knows `electron` only, and in it only what is imitated. */
export function isolatedWorld(
  { event, binding }: IsolatedOptions,
  makeWire: typeof createWire,
  preload: (require: (name: string) => unknown, module: object, exports: object) => void,
): void {
  // Without nodeIntegrationInSubFrames a preload runs in the main frame only.
  if (window.parent !== window) return
  const wire = makeWire()
  const functions = new Map<number, (...args: unknown[]) => unknown>()
  const invokes = new Map<number, PromiseWithResolvers<unknown>>()
  let nextId = 1
  const say = (message: WorldMessage) =>
    window.dispatchEvent(new CustomEvent(`${event}-out`, { detail: wire.encode(message) }))
  const only = (name: string, members: Record<string, unknown>) =>
    new Proxy(members, {
      get(target, key) {
        if (typeof key === 'symbol' || key in target) return Reflect.get(target, key) as unknown
        throw new Error(`not imitated: ${name}.${key}`)
      },
    })

  function shapeOf(value: unknown): Shape {
    if (typeof value === 'function') {
      const id = nextId++
      functions.set(id, value as () => unknown)
      return { kind: 'function', id }
    }
    if (typeof value !== 'object' || value === null) return { kind: 'value', value }
    const members = Object.entries(value).map(([name, member]) => [name, shapeOf(member)] as const)
    return { kind: 'object', members: Object.fromEntries(members) }
  }

  window.addEventListener(`${event}-in`, (raw) => {
    const message = wire.decode((raw as CustomEvent<string>).detail) as WorldMessage
    const settle = (ok: boolean, value: unknown) => say({ type: 'settle', id: message.callId ?? 0, ok, value })
    const args = (message.args ?? []).map((arg) => {
      const id = (arg as { $callback?: number } | null | undefined)?.$callback
      return id === undefined ? arg : (...given: unknown[]) => void say({ type: 'callback', id, args: given })
    })
    const run = async () => functions.get(message.id)?.(...args)
    run().then(
      (value) => settle(true, value),
      (error: unknown) => settle(false, error instanceof Error ? error.message : String(error)),
    )
  })

  Object.defineProperty(globalThis, `${binding}Reply`, {
    value(id: number, ok: boolean, text: string) {
      const answer = invokes.get(id)
      invokes.delete(id)
      if (ok) answer?.resolve(wire.decode(text))
      else answer?.reject(new Error(text))
    },
  })
  const send = (globalThis as unknown as Record<string, (text: string) => void>)[binding]
  const electron = only('electron (preload)', {
    contextBridge: only('contextBridge', {
      exposeInMainWorld: (key: string, api: unknown) => void say({ type: 'expose', id: 0, key, shape: shapeOf(api) }),
    }),
    ipcRenderer: only('ipcRenderer', {
      invoke(channel: string, ...args: unknown[]) {
        const id = nextId++
        const answer = Promise.withResolvers<unknown>()
        const text = wire.encode({ id, channel, args })
        invokes.set(id, answer)
        send?.(text)
        return answer.promise
      },
    }),
  })
  const requireElectron = (name: string) => {
    if (name === 'electron') return electron
    throw new Error(`module not found: ${name}`)
  }
  const module = { exports: {} }
  preload(requireElectron, module, module.exports)
}
