/** Replaces secrets in what a board prints and in messages. */
export function createMask(initial: readonly string[]) {
  const secrets = new Set<string>()
  const add = (more: readonly string[]) =>
    more.filter((secret) => secret !== '').forEach((secret) => secrets.add(secret))
  add(initial)
  return {
    add,
    apply: (text: string): string =>
      [...secrets].reduce((masked, secret) => masked.replaceAll(secret, '[secret]'), text),
  }
}
