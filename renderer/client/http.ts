import type { LibraryImage } from '../../electron/contract/rpc.ts'

/** The body of every refusal of the server's HTTP side. */
interface WireRefusal {
  readonly error?: { readonly code?: string; readonly message?: string }
}

/** Throws an Error with `code` and `status` on any refusal; a network failure stays the TypeError of fetch. */
async function answer<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) return body as T
  const refusal = (body as WireRefusal | null)?.error
  throw Object.assign(new Error(refusal?.message ?? response.statusText), {
    code: refusal?.code,
    status: response.status,
  })
}

export async function getJson<T>(path: string): Promise<T> {
  return answer<T>(await fetch(path, { headers: { accept: 'application/json' }, cache: 'no-store' }))
}

export async function postJson<T>(path: string, value: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return answer<T>(await fetch(path, { method: 'POST', headers, body: JSON.stringify(value) }))
}

/** The name travels in a header, so it is URI-encoded: file names may be in any script. */
export async function uploadImage(file: { readonly name: string; readonly bytes: Blob }): Promise<LibraryImage> {
  const headers = { 'content-type': 'application/octet-stream', 'x-image-name': encodeURIComponent(file.name) }
  return answer<LibraryImage>(await fetch('/api/images', { method: 'POST', headers, body: file.bytes }))
}
