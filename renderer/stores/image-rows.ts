import type { LibraryImage } from '../../electron/contract/rpc.ts'

/** One row an image: the library names it by its SHA-256, so the same bytes are the same image, and the built-in one is not hidden by an upload of itself. */
export function imageRows(images: readonly LibraryImage[]): readonly LibraryImage[] {
  const rows = new Map<string, LibraryImage>()
  for (const image of images) if (!rows.get(image.id)?.virtual) rows.set(image.id, image)
  return [...rows.values()]
}
