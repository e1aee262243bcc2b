import { expect, test } from 'vitest'
import { hashSecret, mintSecret, sameSecret } from './secret.ts'

test('a secret can follow an option of a command line', () => {
  const secrets = Array.from({ length: 2_000 }, mintSecret)
  expect(secrets.filter((secret) => !/^\w[\w-]{42}$/.test(secret))).toEqual([])
  expect(new Set(secrets).size).toBe(2_000)
})

test('secrets are compared by their digests', () => {
  const secret = mintSecret()
  expect([sameSecret(secret, secret), sameSecret(secret, `${secret}x`), sameSecret('', secret)]).toEqual([
    true,
    false,
    false,
  ])
  expect(hashSecret(secret)).toMatch(/^[0-9a-f]{64}$/)
})
