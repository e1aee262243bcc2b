import { randomBytes } from 'node:crypto'

export function mintNonce(): string {
  return randomBytes(16).toString('base64')
}

/** Enough for a script: under a policy of its own a worker could not even fetch. */
export const scriptHeaders = {
  'X-Content-Type-Options': 'nosniff',
  // Not no-referrer: with that a browser sends "Origin: null" with the form of our own set-up page.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'microphone=(self), camera=(), geolocation=(), payment=(), usb=(), serial=()',
} as const

/** For everything that is no page: nothing in it may run or be framed. */
export const plainHeaders = {
  ...scriptHeaders,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** For the console (recipes-desktop-serial.md §8): scripts of ours only, styles of ours or with this answer's nonce. */
export function pageHeaders(nonce: string, options: { forms: boolean } = { forms: false }): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    `form-action ${options.forms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ]
  return { ...scriptHeaders, 'Content-Security-Policy': policy.join('; ') }
}
