import { readFileSync } from 'node:fs'
import { AppError } from '../../base/app-error.ts'
import { resourceUrl } from '../../base/entries.ts'

/** The little of WebAssembly that is used here: the types of Node have none. */
interface WasmGlobal {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => WasmModule
    readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown }
  }
}
type WasmModule = object

const { WebAssembly } = globalThis as unknown as WasmGlobal

/** The exports of resources/wasm/libopus.wasm (scripts/build-libopus.sh). Pointers are numbers, 0 is none. */
interface OpusExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  _initialize(): void
  malloc(bytes: number): number
  opus_get_version_string(): number
  opus_encoder_create(rate: number, channels: number, application: number, error: number): number
  opus_encode(encoder: number, pcm: number, samples: number, packet: number, capacity: number): number
  opus_decoder_create(rate: number, channels: number, error: number): number
  opus_decode(
    ...call: [decoder: number, packet: number, length: number, pcm: number, samples: number, fec: number]
  ): number
  opus_packet_get_nb_samples(packet: number, length: number, rate: number): number
  enc_set(encoder: number, request: number, value: number): number
  enc_get(encoder: number, request: number, result: number): number
  dec_set(decoder: number, request: number, value: number): number
}

/** One wasm instance: nothing that a hostile packet does in it can reach another session. */
export interface OpusHeap {
  readonly wasm: OpusExports
  /** Never freed singly: the heap ends with its session. Throws server-overloaded when memory is out. */
  allocate(bytes: number): number
  /** Views are made at each use: memory may have grown, which detaches older ones. */
  bytes(pointer: number, length: number): Uint8Array
  samples(pointer: number, length: number): Int16Array
  number(pointer: number): number
  /** Runs a call into the wasm; a trap becomes voice-codec-stopped, and every later call is refused with it. */
  run<T>(call: (wasm: OpusExports) => T): T
}

export interface OpusModule {
  /** For example "libopus 1.5.2". */
  readonly version: string
  open(): OpusHeap
}

let loaded: OpusModule | undefined

/** Compiled once a thread (about 10 ms), instantiated once a session (below 1 ms). */
export function loadOpus(): OpusModule {
  if (loaded) return loaded
  const module = new WebAssembly.Module(readFileSync(resourceUrl('wasm/libopus.wasm')))
  const open = () => openHeap(module)
  loaded = { version: readVersion(open()), open }
  return loaded
}

function openHeap(module: WasmModule): OpusHeap {
  // Its libc could write to files; it never does, and here every such call fails (52 is "not supported").
  const refuse = () => 52
  const instance = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: { fd_close: refuse, fd_seek: refuse, fd_write: refuse },
  })
  // The build script exports exactly these; `opus.test.ts` calls each.
  const wasm = instance.exports as OpusExports
  wasm._initialize()
  let trapped: AppError | undefined
  return {
    wasm,
    allocate(bytes) {
      const pointer = wasm.malloc(bytes)
      if (pointer === 0) throw new AppError('server-overloaded', `The codec has no memory for ${bytes} bytes`)
      return pointer
    },
    bytes: (pointer, length) => new Uint8Array(wasm.memory.buffer, pointer, length),
    samples: (pointer, length) => new Int16Array(wasm.memory.buffer, pointer, length),
    number: (pointer) => new DataView(wasm.memory.buffer).getInt32(pointer, true),
    run(call) {
      if (trapped) throw trapped
      try {
        return call(wasm)
      } catch (cause) {
        trapped = new AppError('voice-codec-stopped', 'The Opus instance of this session trapped', { cause })
        throw trapped
      }
    },
  }
}

function readVersion(heap: OpusHeap): string {
  const start = heap.wasm.opus_get_version_string()
  const text = heap.bytes(start, 64)
  return new TextDecoder().decode(text.subarray(0, text.indexOf(0)))
}
