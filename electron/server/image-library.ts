import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeVirtualImage, virtualFirmwareVersion } from '../../firmware/virtual/make-image.ts'
import { AppError } from '../base/app-error.ts'
import { isErrorCode } from '../contract/errors.ts'
import type { LibraryImage } from '../contract/rpc.ts'
import { fatalProblem, readImage } from './firmware/image.ts'
import { loadImage } from './firmware/image-file.ts'
import type { PartFile } from './flash/flasher-message.ts'
import type { ImageStore } from './store/store.ts'

export interface ImageLibrary {
  list(): Promise<LibraryImage[]>
  /** Parses the file and moves it in by its SHA-256. Throws the `image-…` code of its first fatal problem. */
  add(file: { path: string; name: string }): Promise<LibraryImage>
  remove(id: string): Promise<void>
  /** What a lane needs to find it; it is hashed again before the port is opened. Throws server-not-found. */
  part(id: string): Promise<{ image: LibraryImage; part: PartFile }>
  virtualImage(): Promise<LibraryImage>
}

/** Images by SHA-256 in DIR/firmware, with the one for virtual boards made by ourselves. */
export async function openImageLibrary(options: {
  dir: string
  store: ImageStore
  now: () => number
}): Promise<ImageLibrary> {
  const { dir, store, now } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const pathOf = (id: string) => join(dir, `${id}.bin`)
  const builtIn = await addVirtualImage()

  async function addVirtualImage(): Promise<LibraryImage> {
    const bytes = makeVirtualImage()
    const info = readImage(bytes)
    const image: LibraryImage = {
      id: info.sha256,
      name: `roost-virtual ${virtualFirmwareVersion}`,
      virtual: true,
      addedAt: now(),
      info,
    }
    const draft = `${pathOf(image.id)}.draft`
    await writeFile(draft, bytes, { mode: 0o600 })
    await rename(draft, pathOf(image.id))
    return image
  }

  async function find(id: string): Promise<LibraryImage> {
    const found = id === builtIn.id ? builtIn : (await store.all()).find((image) => image.id === id)
    if (!found) throw new AppError('server-not-found', `The library holds no image ${id.slice(0, 12)}`)
    return found
  }

  return {
    list: async () => [...(await store.all()), builtIn],
    async add({ path, name }) {
      const { info } = await loadImage(path)
      const problem = fatalProblem(info)
      if (problem) throw new AppError(isErrorCode(problem.code) ? problem.code : 'image-not-esp', problem.message)
      // The same bytes are the same image, under the name it has.
      if (info.sha256 === builtIn.id) return builtIn
      const image: LibraryImage = { id: info.sha256, name, virtual: false, addedAt: now(), info }
      await rename(path, pathOf(image.id))
      await store.put(image)
      return image
    },
    async remove(id) {
      const image = await find(id)
      if (image.virtual) throw new AppError('server-bad-request', 'The built-in image stays')
      await store.remove(id)
      await rm(pathOf(id), { force: true })
    },
    async part(id) {
      const image = await find(id)
      return { image, part: { path: pathOf(id), sha256: id, size: image.info.size, offset: null } }
    },
    virtualImage: async () => builtIn,
  }
}
