import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { PortInfo } from '../../electron/contract/flash.ts'
import type { FlashOrder, LibraryImage } from '../../electron/contract/rpc.ts'
import { api } from '../client/client.ts'
import { uploadImage } from '../client/http.ts'
import { toProblem, type Problem } from '../client/problem.ts'
import { imageRows } from './image-rows.ts'

export const useFlashStore = defineStore('flash', () => {
  const ports = shallowRef<readonly PortInfo[]>([])
  const images = shallowRef<readonly LibraryImage[]>([])
  const loaded = ref(false)
  const problem = shallowRef<Problem | null>(null)

  async function load() {
    try {
      const [nextPorts, nextImages] = await Promise.all([api.flash.ports(), api.flash.images()])
      ports.value = nextPorts
      images.value = imageRows(nextImages)
      problem.value = null
      loaded.value = true
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  async function add(file: { readonly name: string; readonly bytes: Blob }): Promise<LibraryImage> {
    const image = await uploadImage(file)
    images.value = imageRows([...images.value, image])
    return images.value.find((row) => row.id === image.id) ?? image
  }

  async function remove(id: string) {
    await api.flash.removeImage({ id })
    images.value = images.value.filter((image) => image.id !== id)
    images.value = imageRows(await api.flash.images())
  }

  return {
    ports,
    images,
    loaded,
    problem,
    load,
    add,
    remove,
    start: (order: FlashOrder) => api.flash.start(order),
    tryWithoutBoard: () => api.flash.tryWithoutBoard(),
  }
})
