import { spawn } from 'node:child_process'
import { AppError } from '../../../base/app-error.ts'
import { readWavHeader, samplesFrom } from './wav.ts'

const program = 'espeak-ng'
/** Nothing of our own environment goes to a foreign program; the path names where systems install it. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin', LANG: 'C.UTF-8' }
const runWithinMs = 10_000
const longestOutput = 8 * 1024 * 1024

const failed = (why: string, cause?: unknown): AppError => new AppError('voice-synthesis-failed', why, { cause })

/**
 * Runs the program (a GPL one, so never linked: architecture.md D13) and yields what it writes. Text goes by standard
 * input, so no text can be an option. Ends without an error after an abort. Throws voice-synthesis-failed.
 */
async function* runEspeak(
  args: readonly string[],
  text: string,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<Uint8Array> {
  if (signal.aborted) return
  const child = spawn(program, [...args], { stdio: ['pipe', 'pipe', 'ignore'], env: environment, windowsHide: true })
  const exit = Promise.withResolvers<number | null>()
  child.once('error', (error) => exit.reject(failed(`The program ${program} does not start`, error)))
  child.once('close', (code) => exit.resolve(code))
  exit.promise.catch(() => undefined)
  // The program may end before it read everything; its exit code tells.
  child.stdin.on('error', () => undefined)
  const kill = (): void => void child.kill('SIGKILL')
  const hung = setTimeout(kill, runWithinMs)
  signal.addEventListener('abort', kill)
  let size = 0
  try {
    child.stdin.end(text)
    for await (const chunk of child.stdout as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > longestOutput) throw failed(`The program ${program} does not stop`)
      if (isAborted(signal)) return
      yield chunk
    }
    const code = await exit.promise
    if (code !== 0 && !isAborted(signal)) throw failed(`The program ${program} ended with code ${code ?? 'none'}`)
  } finally {
    clearTimeout(hung)
    signal.removeEventListener('abort', kill)
    kill()
  }
}

const isAborted = (signal: AbortSignal): boolean => signal.aborted

export async function espeakText(args: readonly string[], text: string): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of runEspeak(args, text)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The WAV that the program writes, as samples while they come. Throws when its rate is another one. */
export async function* espeakSound(
  options: { args: readonly string[]; sampleRate: number },
  text: string,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  let rest: Uint8Array = new Uint8Array(0)
  let isBody = false
  for await (const chunk of runEspeak(options.args, text, signal)) {
    rest = Buffer.concat([rest, chunk])
    if (!isBody) {
      const header = readWavHeader(rest)
      if (!header) continue
      if (header.sampleRate !== options.sampleRate)
        throw failed(`The program ${program} speaks at ${header.sampleRate} Hz`)
      rest = rest.subarray(header.dataAt)
      isBody = true
    }
    const whole = rest.length - (rest.length % 2)
    if (whole > 0) yield samplesFrom(rest.subarray(0, whole))
    rest = rest.subarray(whole)
  }
  if (!isBody && !isAborted(signal)) throw failed(`The program ${program} made no sound`)
}
