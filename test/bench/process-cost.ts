import { readdirSync, readFileSync } from 'node:fs'

// What a process costs as Linux counts it, seen from outside: the one that is measured does nothing for it.

/** CPU time of a thread so far, ms: of a process's main thread unless `tid` names another. */
export function threadCpuMs(pid: number, tid = pid): number {
  const task = `/proc/${pid}/task/${tid}`
  try {
    return Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    // Kernels without scheduler statistics count in ticks of 10 ms.
    return ticks(`${task}/stat`) * 10
  }
}

/** CPU time of all threads of a process so far, ms. */
export function processCpuMs(pid: number): number {
  return threadsOf(pid).reduce((sum, tid) => sum + threadCpuMs(pid, tid), 0)
}

/** Resident memory of a process, MiB; with `children`, of all that it started too. */
export function residentMib(pid: number, { children = false } = {}): number {
  const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  return own + (children ? childrenOf(pid).reduce((sum, child) => sum + residentMib(child, { children }), 0) : 0)
}

function threadsOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map(Number)
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((tid) =>
    readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

function ticks(file: string): number {
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}
