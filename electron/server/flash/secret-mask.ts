/** Replaces secrets in what a board prints and in messages. */
export interface SecretMask {
  add(secrets: readonly string[]): void
  apply(text: string): string
}

export function createMask(initial: readonly string[]): SecretMask {
  const secrets = new Set<string>()
  const add = (more: readonly string[]) =>
    more.filter((secret) => secret !== '').forEach((secret) => secrets.add(secret))
  add(initial)
  return {
    add,
    apply: (text) => [...secrets].reduce((masked, secret) => masked.replaceAll(secret, '[secret]'), text),
  }
}
