import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { ModelAnswer, ModelInput, ModelStatus, ModelTestStep } from '../../electron/contract/model.ts'
import { api } from '../client/client.ts'

interface AskOrder {
  readonly name: string
  readonly phrases: string[]
  readonly draftId?: string
}

/** The language model that may think for the boards. Its key never comes here. */
export const useModelStore = defineStore('model', () => {
  const status = shallowRef<ModelStatus | null>(null)

  async function load() {
    status.value = await api.model.status()
  }
  async function put(input: ModelInput) {
    status.value = await api.model.put(input)
  }
  /** Each finding as it comes. */
  async function test(signal: AbortSignal, each: (step: ModelTestStep) => void) {
    for await (const step of await api.model.test(undefined, { signal })) each(step)
    await load()
  }
  /** Each answer as it comes; nothing is called. */
  async function ask(order: AskOrder, signal: AbortSignal, each: (answer: ModelAnswer) => void) {
    for await (const answer of await api.model.ask(order, { signal })) each(answer)
  }
  return { status, load, put, test, ask }
})
