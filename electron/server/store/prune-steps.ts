/** Rows a step: the worker serves others in between, and the log of one step stays small on a disk that is nearly full. */
export const pruneRows = 5000
/** A turn is kilobytes of text, and its words leave the search index one by one. */
export const pruneTurns = 200

/** Repeats a delete that is limited to `rowsAStep` until it finds nothing more; returns how many rows went. */
export async function inSteps(step: () => Promise<{ numDeletedRows: bigint }>, rowsAStep = pruneRows): Promise<number> {
  let gone = 0
  for (;;) {
    const { numDeletedRows } = await step()
    gone += Number(numDeletedRows)
    if (Number(numDeletedRows) < rowsAStep) return gone
  }
}
