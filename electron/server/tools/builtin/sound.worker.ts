import { readFileSync, statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { isAppError, toAppError } from '../../../base/app-error.ts'
import { badSound, readWav, type SoundReader } from './sound-reader.ts'
import type { SoundReply, SoundWork } from './sound-file.ts'

// One file, decoded as it is asked for, or the tags of many. Pure wasm only: the thread may be ended at any time
// (architecture §1).

const maxBytes = 80_000_000
/** What a decoder may complain about in one file before it is taken for lost: one of them complains without end. */
const maxComplaints = 200
const reply = (message: SoundReply) => parentPort?.postMessage(message)

let complaints = 0
function complain(): void {
  if (++complaints > maxComplaints) throw badSound('it is broken in too many places')
}
// The decoders write each broken frame to the console, which is the log of the server.
Object.assign(globalThis.console, { error: complain, warn: complain })

async function open(path: string): Promise<SoundReader> {
  const { size } = statSync(path)
  if (size > maxBytes) throw badSound('it is larger than 80 MB')
  const bytes = new Uint8Array(readFileSync(path))
  // Each decoder takes its time to load, and a file needs one.
  switch (String.fromCharCode(...bytes.subarray(0, 4))) {
    case 'RIFF':
      return readWav(bytes)
    case 'OggS':
      return openOgg(bytes)
    case 'fLaC':
      return (await import('./flac-reader.ts')).readFlac(bytes)
    default:
      return (await import('./mp3-reader.ts')).readMp3(bytes)
  }
}

async function openOgg(bytes: Uint8Array): Promise<SoundReader> {
  const { oggKind, readOgg } = await import('./ogg-reader.ts')
  const kind = oggKind(bytes)
  if (kind === 'vorbis') return (await import('./vorbis-reader.ts')).readVorbis(bytes)
  if (kind === 'flac') return (await import('./flac-reader.ts')).readFlac(bytes)
  return readOgg(bytes)
}

async function attempt(work: () => Promise<SoundReply>): Promise<void> {
  try {
    reply(await work())
  } catch (error) {
    const { message } = isAppError(error, 'helper-bad-sound') ? error : badSound(toAppError(error).message)
    reply({ is: 'failed', code: 'helper-bad-sound', message })
  }
}

/** Only sound-file.ts and tag-reader.ts write to this port, one request at a time. */
const onRequest = (answer: (request: unknown) => Promise<SoundReply>): void =>
  void parentPort?.on('message', (request: unknown) => void attempt(() => answer(request)))

const work = workerData as SoundWork
if (work.is === 'tags') {
  const { readTags } = await import('./sound-tags.ts')
  onRequest(async (path) => ({ is: 'tags', tags: await readTags(String(path)) }))
} else {
  await attempt(async () => {
    const reader = await open(work.path)
    onRequest(async () => {
      const pcm = await reader.next()
      return pcm ? { is: 'pcm', pcm } : { is: 'end' }
    })
    return { is: 'open', sampleRate: reader.sampleRate }
  })
}
