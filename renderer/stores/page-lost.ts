import { defineStore } from 'pinia'
import { ref } from 'vue'

/** The address of the page that was asked for and whose code did not come; null = the page that is shown is the one. */
export const usePageLostStore = defineStore('page-lost', () => {
  const address = ref<string | null>(null)
  return {
    address,
    miss: (to: string) => void (address.value = to),
    found: () => void (address.value = null),
    /** A whole load: a browser keeps the failure of a module for as long as the document lives. */
    open() {
      if (address.value !== null) location.assign(address.value)
    },
  }
})
