import { hostOf } from './addresses.ts'

/** Which names this server answers to: the wall against DNS rebinding (reliability.md T6). */
export interface Site {
  isOwnHost(host: string | undefined): boolean
  /** No Origin is no browser page. A page of ours has our name, and the very host and port that it now calls. */
  isOwnOrigin(origin: string | undefined, host: string | undefined): boolean
}

export function createSite(options: { names: () => readonly string[]; extraOrigins?: readonly string[] }): Site {
  const { names, extraOrigins = [] } = options

  function isOwnHost(header: string | undefined): boolean {
    const host = hostOf(header)
    return host !== undefined && names().includes(host)
  }

  return {
    isOwnHost,
    isOwnOrigin(origin, host) {
      if (origin === undefined) return true
      if (extraOrigins.includes(origin)) return true
      const scheme = /^https?:\/\//.exec(origin)?.[0]
      if (scheme === undefined) return false
      const from = origin.slice(scheme.length).toLowerCase()
      return isOwnHost(from) && from === host?.toLowerCase()
    },
  }
}
