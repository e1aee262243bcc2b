import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import type { AuthState } from '../../electron/contract/server-info.ts'
import { readAuthState, setUp, signIn, signOut, type Credentials } from '../client/auth.ts'
import { connection } from '../client/client.ts'

export const useAccountStore = defineStore('account', () => {
  const state = ref<AuthState | null>(null)
  const account = computed(() => state.value?.account ?? null)

  /** Throws when the server cannot be asked: the caller shows that, it is not "signed out". */
  async function load(): Promise<AuthState> {
    const next = await readAuthState()
    state.value = next
    return next
  }

  async function enter(credentials: Credentials): Promise<void> {
    await signIn(credentials)
    await load()
  }

  async function createOwner(order: Credentials & { readonly secret: string }): Promise<void> {
    await setUp(order)
    const next = await load()
    // Some servers open the session with the set-up, others want a sign-in: both end signed in.
    if (!next.account) await enter(order)
  }

  async function leave(): Promise<void> {
    connection.close()
    await signOut()
    await load()
  }

  return { state, account, load, enter, createOwner, leave }
})
