import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * A fresh 256-bit secret as base64url text (43 characters). It is shown once; only its hash is kept. It never begins
 * with a hyphen: after `--claim` or `--token` a command line would take it for an option.
 */
export function mintSecret(): string {
  const secret = randomBytes(32).toString('base64url')
  return secret.startsWith('-') ? mintSecret() : secret
}

/** SHA-256 as 64 lower-case hex digits: what the store keeps in place of a secret. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Constant time: both sides are digests of equal length before they are compared (reliability.md C 24). */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
