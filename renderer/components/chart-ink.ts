/** A canvas knows no tokens, and a token is a pair of colours: what an element would be painted with is one colour. */
export function ink(name: string, on: HTMLElement): string {
  on.style.color = `var(${name})`
  const { color } = getComputedStyle(on)
  on.style.removeProperty('color')
  return color
}

/** Indexes of values between two gaps: no line goes through them, so they are drawn as dots. */
export function lonely(values: readonly (number | null)[]): number[] {
  return values.flatMap((value, index) =>
    value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null ? [index] : [],
  )
}
