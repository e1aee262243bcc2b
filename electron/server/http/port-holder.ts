import { readFile, readdir, readlink } from 'node:fs/promises'

/**
 * Which program listens on this TCP port, as `name (pid N)`; undefined when the system does not say. Linux only: the
 * socket's inode from /proc/net/tcp, then the process that has it open. Another user's process stays unnamed.
 */
export async function holderOfPort(port: number): Promise<string | undefined> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readOrEmpty))
  const inodes = new Set(tables.flatMap((table) => listeningInodes(table, port)))
  if (inodes.size === 0) return undefined
  for (const pid of await listOrEmpty('/proc')) {
    if (/^\d+$/.test(pid) && (await holdsSocket(pid, inodes))) {
      const name = (await readOrEmpty(`/proc/${pid}/comm`)).trim()
      return `${name === '' ? 'a process' : name} (pid ${pid})`
    }
  }
  return undefined
}

/** Rows of /proc/net/tcp: `sl local_address rem_address st … uid timeout inode`; state 0A is LISTEN. */
export function listeningInodes(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/)
    const isMatch = fields[1]?.endsWith(`:${wanted}`) === true && fields[3] === '0A'
    return isMatch && fields[9] !== undefined ? [fields[9]] : []
  })
}

async function holdsSocket(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  for (const fd of await listOrEmpty(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode !== undefined && inodes.has(inode)) return true
  }
  return false
}

function readOrEmpty(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

function listOrEmpty(path: string): Promise<string[]> {
  return readdir(path).catch(() => [])
}
