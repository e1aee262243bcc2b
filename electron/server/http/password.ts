import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

// 32 MiB and about 100 ms a try (OWASP's scrypt row N=2^15, r=8, p=3 has the same order of work).
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const keyLength = 32
const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt)

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password.normalize('NFKC'), salt, keyLength, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Constant time in the password. A text that `hashPassword` did not write matches nothing. */
export async function checkPassword(password: string, stored: string): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = stored.split('$')
  if (kind !== 'scrypt') return false
  const expected = Buffer.from(hash, 'base64url')
  const parameters = { ...cost, N: Number(N), r: Number(r), p: Number(p) }
  const key = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64url'), keyLength, parameters)
  return expected.length === key.length && timingSafeEqual(key, expected)
}
