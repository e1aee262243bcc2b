import { AppError } from '../../base/app-error.ts'
import type { CodecRequest, CodecResult, CodecWork } from './codec-messages.ts'

/** Calls that may wait: more means that the thread does not keep up, and the caller must hear it. */
const maxInFlight = 64
/** One PCM frame of 60 ms, 48 kHz, stereo is 11 520 bytes (iotta-protocol.md §3). */
const maxFrameBytes = 16_384
/** A minute at 48 kHz. */
const maxSpeechSamples = 48_000 * 60

/** The codec of one board's session, in a thread. Every call may also reject with voice-codec-stopped. */
export interface CodecSession {
  /** 16 kHz mono, as long as the frame. Rejects with voice-bad-packet, or server-overloaded at 64 waiting calls. */
  decode(frame: Uint8Array): Promise<Int16Array>
  /** Stands in for exactly one lost frame. */
  conceal(): Promise<Int16Array>
  /** The one lost frame before `next`, from the error correction inside it (voice.md §1). Then decode `next`. */
  recover(next: Uint8Array): Promise<Int16Array>
  /** A new utterance: nothing of the last one is heard in it. */
  resetInput(): void
  /** Begins a reply of mono PCM at `sourceRate` Hz. A rate that cannot be had fails the `encode` after it. */
  startSpeech(sourceRate: number): void
  /** The frames that are complete now. Rejects with voice-bad-pcm before startSpeech or above one minute. */
  encode(pcm: Int16Array): Promise<readonly Uint8Array[]>
  /** The rest of the reply, filled with silence to a whole frame. */
  endSpeech(): Promise<readonly Uint8Array[]>
  /** Calls that still encode answer with no frames: for a person who talks over the reply. */
  cancelSpeech(): void
  /** Once, when the thread or the codec died. The session is then dead: open another. Never after `close`. */
  onStopped(listener: (error: AppError) => void): void
  close(): void
}

/** What a lane needs of its sessions. */
export interface LaneSession extends CodecSession {
  readonly waiting: boolean
  settle(call: number, result: CodecResult): void
  stop(error: AppError): void
}

export interface SessionPort {
  post(request: CodecRequest, transfer?: readonly ArrayBuffer[]): void
  /** The session is over, by close or by failure. */
  left(): void
}

export function createCodecSession(session: number, port: SessionPort): LaneSession {
  const pending = new Map<number, PromiseWithResolvers<CodecResult>>()
  const listeners = new Set<(error: AppError) => void>()
  let stopped: AppError | undefined
  let nextCall = 0

  async function run(work: CodecWork, bytes?: Uint8Array | Int16Array): Promise<CodecResult> {
    if (stopped) throw stopped
    if (pending.size >= maxInFlight) {
      throw new AppError('server-overloaded', `${maxInFlight} calls of this session wait for the codec`)
    }
    const call = nextCall++
    const answer = Promise.withResolvers<CodecResult>()
    pending.set(call, answer)
    port.post({ op: 'work', session, call, work }, bytes ? [bytes.buffer as ArrayBuffer] : [])
    return answer.promise
  }

  function end(error: AppError): void {
    if (stopped) return
    stopped = error
    for (const answer of pending.values()) answer.reject(error)
    pending.clear()
    port.left()
  }

  function stop(error: AppError): void {
    if (stopped) return
    end(error)
    for (const listener of listeners) listener(error)
  }

  function post(request: CodecRequest): void {
    if (!stopped) port.post(request)
  }

  return {
    ...createCalls(run),
    resetInput: () => post({ op: 'reset-input', session }),
    startSpeech: (sourceRate) => post({ op: 'start-speech', session, sourceRate }),
    cancelSpeech: () => post({ op: 'cancel-speech', session }),
    onStopped: (listener) => void listeners.add(listener),
    close() {
      post({ op: 'close', session })
      end(new AppError('voice-codec-stopped', 'The codec session was closed'))
    },
    get waiting() {
      return pending.size > 0
    },
    settle(call, result) {
      const answer = pending.get(call)
      pending.delete(call)
      if (!('error' in result)) return answer?.resolve(result)
      const error = new AppError(result.error.code, result.error.message)
      answer?.reject(error)
      // Its wasm instance trapped: no call of this session can succeed any more.
      if (error.code === 'voice-codec-stopped') {
        post({ op: 'close', session })
        stop(error)
      }
    },
    stop,
  }
}

type Run = (work: CodecWork, bytes?: Uint8Array | Int16Array) => Promise<CodecResult>
type Calls = Pick<CodecSession, 'decode' | 'conceal' | 'recover' | 'encode' | 'endSpeech'>

/** Bytes are copied once and then moved: a frame is mostly a view into a socket's shared buffer. */
function createCalls(run: Run): Calls {
  async function hear(work: CodecWork, bytes?: Uint8Array): Promise<Int16Array> {
    const result = await run(work, bytes)
    return 'pcm' in result ? result.pcm : new Int16Array()
  }
  async function speak(work: CodecWork, bytes?: Int16Array): Promise<readonly Uint8Array[]> {
    const result = await run(work, bytes)
    return 'frames' in result ? result.frames : []
  }
  function copyFrame(bytes: Uint8Array): Uint8Array {
    if (bytes.length <= maxFrameBytes) return new Uint8Array(bytes)
    throw new AppError('voice-bad-packet', `A frame has ${bytes.length} bytes, allowed are ${maxFrameBytes}`)
  }
  return {
    async decode(bytes) {
      const frame = copyFrame(bytes)
      return hear({ do: 'decode', frame }, frame)
    },
    async recover(bytes) {
      const next = copyFrame(bytes)
      return hear({ do: 'recover', next }, next)
    },
    conceal: () => hear({ do: 'conceal' }),
    async encode(speech) {
      if (speech.length > maxSpeechSamples) {
        throw new AppError('voice-bad-pcm', `${speech.length} samples at once, allowed are ${maxSpeechSamples}`)
      }
      const pcm = new Int16Array(speech)
      return speak({ do: 'encode', pcm }, pcm)
    },
    endSpeech: () => speak({ do: 'end-speech' }),
  }
}
