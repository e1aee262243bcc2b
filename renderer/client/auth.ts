import type { AuthState } from '../../electron/contract/server-info.ts'
import { getJson, postJson } from './http.ts'

export interface Credentials {
  readonly name: string
  readonly password: string
}

export const readAuthState = (): Promise<AuthState> => getJson<AuthState>('/auth/state')
export const setUp = (order: Credentials & { readonly secret: string }): Promise<unknown> =>
  postJson('/auth/setup', order)
export const signIn = (order: Credentials): Promise<unknown> => postJson('/auth/sign-in', order)
export const signOut = (): Promise<unknown> => postJson('/auth/sign-out', {})
