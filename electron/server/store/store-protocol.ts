/** What crosses between store-link.ts and store.worker.ts. Both ends are this build, so the shapes are trusted. */

export type FileName = 'roost' | 'history'

export interface FileOrder {
  readonly path: string
  /** SQLite's `max_page_count`, in pages of 4096 bytes; absent = as large as the disk. */
  readonly maxPages?: number | undefined
}

export interface OpenOrder {
  readonly do: 'open'
  readonly lockPath: string
  readonly files: Readonly<Record<FileName, FileOrder>>
}

export type StoreOrder =
  | OpenOrder
  | { readonly do: 'query'; readonly file: FileName; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly do: 'check'; readonly file: FileName }
  | { readonly do: 'close' }

export interface StoreAnswer {
  readonly rows: readonly unknown[]
  readonly changes: number
  readonly insertId: number
}

export type StoreRequest = StoreOrder & { readonly id: number }

export type StoreReply =
  { readonly id: number; readonly answer: StoreAnswer } | { readonly id: number; readonly error: StoreFailure }

export interface StoreFailure {
  /** SQLite's own code, or one that the worker adds. */
  readonly code: string
  readonly message: string
  readonly file: FileName | undefined
}

export const lockedCode = 'ROOST_LOCKED'
