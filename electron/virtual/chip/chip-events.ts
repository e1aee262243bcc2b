import type { FlashChange } from './flash-array.ts'

/** What a chip tells as it happens (contracts.md §1, `roost chip`). */
export type ChipEvent =
  | FlashChange
  | { readonly event: 'reset'; readonly cause: string }
  | { readonly event: 'boot'; readonly mode: 'download' | 'stub' | 'loop' }
  | { readonly event: 'boot'; readonly mode: 'app'; readonly project?: string; readonly version?: string }
  | { readonly event: 'board'; readonly state: 'started'; readonly deviceId: string; readonly server: string }
  | { readonly event: 'board'; readonly state: 'offline'; readonly reason: string }
  | { readonly event: 'baud'; readonly baud: number }
  /** Something of ours broke, such as a flash file that can no longer be written. */
  | { readonly event: 'failed'; readonly message: string }
