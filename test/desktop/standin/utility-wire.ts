/** Between main and a utility process, over the IPC channel of child_process.fork. */
export type ToUtility =
  | { readonly to: 'parentPort'; readonly data: unknown; readonly ports: readonly number[] }
  | { readonly to: 'port'; readonly port: number; readonly data: unknown }
  | { readonly to: 'closed'; readonly port: number }

export type FromUtility =
  | { readonly from: 'parentPort'; readonly data: unknown }
  | { readonly from: 'port'; readonly port: number; readonly data: unknown }
  | { readonly from: 'close'; readonly port: number }
