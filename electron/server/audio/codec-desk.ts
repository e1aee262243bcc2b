import { type AppError, toAppError } from '../../base/app-error.ts'
import type { CodecFormats, CodecReply, CodecRequest, CodecResult, CodecWork } from './codec-messages.ts'
import { createInputPath, type InputPath } from './input-path.ts'
import { loadOpus } from './opus-heap.ts'
import { createOutputPath, type OutputPath } from './output-path.ts'
import type { ResamplerModule } from './resampler.ts'

/** Source samples that one turn of a session may encode: a long sentence must not keep a frame of another waiting. */
const samplesPerTurn = 2400

type Job =
  | { readonly at: 'work'; readonly call: number; readonly work: CodecWork }
  | { readonly at: 'encoding'; readonly call: number; readonly pcm: Int16Array; readonly frames: readonly Uint8Array[] }
  | { readonly at: 'start-speech'; readonly sourceRate: number }
  | { readonly at: 'reset-input' }

interface Seat {
  readonly jobs: Job[]
  readonly paths: { readonly input: InputPath; readonly output: OutputPath } | { readonly failure: AppError }
}

export interface CodecDesk {
  handle(request: CodecRequest): void
}

/** The inside of a codec thread: sessions take turns, one small piece of work each. */
export function createCodecDesk(options: {
  readonly resampler: ResamplerModule
  readonly reply: (reply: CodecReply) => void
}): CodecDesk {
  const seats = new Map<number, Seat>()
  let running = false

  function round(): void {
    running = false
    for (const [session, seat] of seats) {
      const job = seat.jobs.shift()
      if (job) runJob(seat, job, (call, result) => options.reply({ session, call, result }))
    }
    // Between rounds new messages are read: a frame that has just come is in the next one.
    if ([...seats.values()].some((seat) => seat.jobs.length > 0)) schedule()
  }

  function schedule(): void {
    if (running) return
    running = true
    setImmediate(round)
  }

  function add(session: number, job: Job): void {
    seats.get(session)?.jobs.push(job)
    schedule()
  }

  return {
    handle(request) {
      const { session } = request
      switch (request.op) {
        case 'open':
          seats.set(session, { jobs: [], paths: openPaths(request.formats, options.resampler) })
          return
        case 'work':
          return add(session, { at: 'work', call: request.call, work: request.work })
        case 'start-speech':
          return add(session, { at: 'start-speech', sourceRate: request.sourceRate })
        case 'reset-input':
          return add(session, { at: 'reset-input' })
        case 'cancel-speech':
          cancelSpeech(seats.get(session), (call) => options.reply({ session, call, result: { frames: [] } }))
          return
        case 'close':
          closeSeat(seats.get(session))
          seats.delete(session)
          return
      }
    },
  }
}

/** One piece. What is thrown is the answer of that call, so that a bad frame ends nothing. */
function runJob(seat: Seat, job: Job, reply: (call: number, result: CodecResult) => void): void {
  try {
    if ('failure' in seat.paths) throw seat.paths.failure
    const { input, output } = seat.paths
    switch (job.at) {
      case 'start-speech':
        return output.start(job.sourceRate)
      case 'reset-input':
        return input.reset()
      case 'encoding': {
        const frames = [...job.frames, ...output.push(job.pcm.subarray(0, samplesPerTurn))]
        const pcm = job.pcm.subarray(samplesPerTurn)
        if (pcm.length > 0) seat.jobs.unshift({ ...job, pcm, frames })
        else reply(job.call, { frames })
        return
      }
      case 'work':
        if (job.work.do !== 'encode') return reply(job.call, runWork(job.work, input, output))
        return runJob(seat, { at: 'encoding', call: job.call, pcm: job.work.pcm, frames: [] }, reply)
    }
  } catch (cause) {
    const { code, message } = toAppError(cause)
    // What is not answered (a rate that cannot be resampled) fails the call after it.
    if ('call' in job) reply(job.call, { error: { code, message } })
  }
}

function runWork(work: Exclude<CodecWork, { do: 'encode' }>, input: InputPath, output: OutputPath): CodecResult {
  switch (work.do) {
    case 'decode':
      return { pcm: input.decode(work.frame) }
    case 'recover':
      return { pcm: input.recover(work.next) }
    case 'conceal':
      return { pcm: input.conceal() }
    case 'end-speech':
      return { frames: output.end() }
  }
}

function openPaths(formats: CodecFormats, resampler: ResamplerModule): Seat['paths'] {
  try {
    const parts = { heap: loadOpus().open(), resampler }
    return { input: createInputPath(formats.input, parts), output: createOutputPath(formats.output, parts) }
  } catch (cause) {
    return { failure: toAppError(cause) }
  }
}

/** Speech that still waits is answered with nothing; hearing goes on. */
function cancelSpeech(seat: Seat | undefined, answer: (call: number) => void): void {
  if (!seat) return
  const kept = seat.jobs.filter((job) => {
    const speech = job.at === 'encoding' || (job.at === 'work' && ['encode', 'end-speech'].includes(job.work.do))
    if (speech) answer(job.call)
    return !speech
  })
  seat.jobs.splice(0, seat.jobs.length, ...kept)
}

function closeSeat(seat: Seat | undefined): void {
  if (!seat || 'failure' in seat.paths) return
  seat.paths.input.close()
  seat.paths.output.close()
}
