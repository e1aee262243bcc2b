/** Rows a step: the worker serves others in between, and the log of one step stays small on a disk that is nearly full. */
export const pruneRows = 5000

/** Repeats a limited delete until it finds nothing more; returns how many rows went. */
export async function inSteps(step: () => Promise<{ numDeletedRows: bigint }>): Promise<number> {
  let gone = 0
  for (;;) {
    const { numDeletedRows } = await step()
    gone += Number(numDeletedRows)
    if (Number(numDeletedRows) < pruneRows) return gone
  }
}
