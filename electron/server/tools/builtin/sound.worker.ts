import { readFileSync, statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { toAppError } from '../../../base/app-error.ts'
import { readMp3 } from './mp3-reader.ts'
import { readOgg } from './ogg-reader.ts'
import { badSound, readWav, type SoundReader } from './sound-reader.ts'
import type { SoundReply } from './sound-file.ts'

// One file, decoded as it is asked for. Pure wasm only: the thread may be ended at any time (architecture §1).

const maxBytes = 80_000_000
const reply = (message: SoundReply) => parentPort?.postMessage(message)

function open(path: string): SoundReader {
  const { size } = statSync(path)
  if (size > maxBytes) throw badSound('it is larger than 80 MB')
  const bytes = new Uint8Array(readFileSync(path))
  const start = String.fromCharCode(...bytes.subarray(0, 4))
  return start === 'RIFF' ? readWav(bytes) : start === 'OggS' ? readOgg(bytes) : readMp3(bytes)
}

function attempt(work: () => SoundReply): void {
  try {
    reply(work())
  } catch (error) {
    const { code, message } = toAppError(error)
    reply({ is: 'failed', code: code === 'helper-bad-sound' ? code : 'helper-bad-sound', message })
  }
}

const { path } = workerData as { path: string }
attempt(() => {
  const reader = open(path)
  // Only sound-file.ts writes to this port, one request at a time.
  parentPort?.on('message', () =>
    attempt(() => {
      const pcm = reader.next()
      return pcm ? { is: 'pcm', pcm } : { is: 'end' }
    }),
  )
  return { is: 'open', sampleRate: reader.sampleRate }
})
