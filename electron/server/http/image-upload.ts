import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../base/app-error.ts'
import { refuse, send } from './exchange.ts'
import { routes } from './routes.ts'

export interface ImageUpload {
  /** A file of our own; it is removed after the call unless it was moved away. */
  readonly path: string
  /** As the person's file is called; never a path. */
  readonly name: string
}

export interface ImageUploadOptions {
  readonly tempDir: string
  /** What it resolves with is the answer, 200. Throws 'image-…' for a file that is none. */
  readonly onImage: (upload: ImageUpload) => Promise<unknown>
}

/** The header that names the file, percent-encoded UTF-8. */
export const imageNameHeader = 'x-image-name'

/** `POST /api/images`: the raw bytes of a file, straight to disk, 64 MiB at most. */
export function createImageUpload({ tempDir, onImage }: ImageUploadOptions) {
  return async function upload(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const name = imageName(request.headers[imageNameHeader])
    await mkdir(tempDir, { recursive: true, mode: 0o700 })
    const path = join(tempDir, `${randomUUID()}.upload`)
    try {
      await pipeline(request.body as Readable, limited, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
      return await send(reply, 200, await onImage({ path, name }))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return await refuse(reply, {
        status: 413,
        code: 'server-bad-request',
        message: 'The file is larger than 64 MiB.',
      })
    } finally {
      await rm(path, { force: true })
    }
  }
}

async function* limited(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > routes.image.bodyLimit) throw new RangeError('too large')
    yield chunk
  }
}

function imageName(header: string | string[] | undefined): string {
  let name: string
  try {
    name = decodeURIComponent(typeof header === 'string' ? header : '')
  } catch (cause) {
    throw new AppError('server-bad-request', `The header ${imageNameHeader} is not percent-encoded`, { cause })
  }
  if (!/^[^\p{Cc}/\\]{1,128}$/u.test(name)) {
    throw new AppError('server-bad-request', `The header ${imageNameHeader} needs a file name of 1 to 128 characters`)
  }
  return name
}
