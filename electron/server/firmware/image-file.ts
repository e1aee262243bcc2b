import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '../../base/app-error.ts'
import type { ImageInfo } from '../../contract/flash.ts'
import { maxImageSize, readImage } from './image.ts'

export interface LoadedImage {
  /** File name without its folder, for messages. */
  readonly name: string
  readonly bytes: Uint8Array
  readonly info: ImageInfo
}

/**
 * Reads a file whole. Throws `image-unreadable` (missing, a folder, no permission), `image-empty`, `image-too-large`
 * (over 128 MiB), and `image-changed` when `sha256` is given and differs.
 */
export async function loadImage(path: string, sha256?: string): Promise<LoadedImage> {
  const bytes = await readBytes(path)
  const info = readImage(bytes)
  if (sha256 !== undefined && info.sha256 !== sha256.toLowerCase()) {
    throw new AppError('image-changed', `${path} has SHA-256 ${info.sha256}, expected ${sha256}`)
  }
  return { name: basename(path), bytes, info }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path, 'r')
    const stat = await file.stat()
    if (!stat.isFile()) throw new AppError('image-unreadable', `${path} is not a file`)
    if (stat.size === 0) throw new AppError('image-empty', `${path} has no bytes`)
    if (stat.size > maxImageSize) {
      throw new AppError(
        'image-too-large',
        `${path} has ${String(stat.size)} bytes; ${String(maxImageSize)} is the limit`,
      )
    }
    return await file.readFile()
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('image-unreadable', `${path} cannot be read`, { cause: error })
  }
}
