/**
 * `found` joined at one side, and what is more than `most` cut at the other. `found` lies next to the window without a
 * gap and without a double.
 */
export function slidWindow<Line>(
  window: { readonly lines: readonly Line[]; readonly most: number },
  found: readonly Line[],
  side: 'older' | 'newer',
): { readonly lines: readonly Line[]; readonly lostNewer: boolean } {
  const { lines, most } = window
  if (side === 'newer') return { lines: [...lines, ...found].slice(-most), lostNewer: false }
  const whole = [...found, ...lines]
  return { lines: whole.slice(0, most), lostNewer: whole.length > most }
}
