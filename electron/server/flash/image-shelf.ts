import { AppError } from '../../base/app-error.ts'
import { type LoadedImage, loadImage } from '../firmware/image-file.ts'
import type { PartFile } from './flasher-message.ts'

/** Images in memory, one copy for all lanes that use it at the time. */
export interface ImageShelf {
  /** Throws what `loadImage` throws, and `image-changed` when the size differs. Give it back with `release`. */
  take(part: PartFile): Promise<LoadedImage>
  release(part: PartFile): void
}

export function createImageShelf(): ImageShelf {
  const shelf = new Map<string, { image: Promise<LoadedImage>; users: number }>()
  const keyOf = (part: PartFile) => `${part.path}\0${part.sha256 ?? ''}`
  return {
    async take(part) {
      const key = keyOf(part)
      const slot = shelf.get(key) ?? { image: loadImage(part.path, part.sha256), users: 0 }
      slot.users += 1
      shelf.set(key, slot)
      const image = await slot.image
      if (part.size !== undefined && image.bytes.length !== part.size) {
        throw new AppError(
          'image-changed',
          `${part.path} has ${String(image.bytes.length)} bytes, expected ${String(part.size)}`,
        )
      }
      return image
    },
    release(part) {
      const key = keyOf(part)
      const slot = shelf.get(key)
      if (!slot) return
      slot.users -= 1
      if (slot.users <= 0) shelf.delete(key)
    },
  }
}
