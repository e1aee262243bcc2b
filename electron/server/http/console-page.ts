import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { extname, join, normalize, sep } from 'node:path'
import { mintNonce, pageHeaders, plainHeaders, scriptHeaders } from './security-headers.ts'

export interface StaticAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export interface ConsolePage {
  /** A built file, or the page itself for a path of its own router; undefined = there is no such thing. */
  answer(path: string): Promise<StaticAnswer | undefined>
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.webmanifest': 'application/manifest+json',
}

// Answered 404 until their feature exists, never by the page (contracts.md §1).
const notThePage = /^\/(api|auth|mcp|firmware|xiaozhi|provision|telemetry|session|tools|rpc)(\/|$)/

/** Names of tools and boards may hold a dot: below these the router decides, also what `…/a.js` is. */
const named = /^\/(devices|conversations|toolbox\/tool|things|uart)\/./

function isPlaceInThePage(path: string, type: string | undefined): boolean {
  return named.test(path) || (type === undefined && extname(path) === '')
}

/** The built page of `dir` (entries.ts `consoleUrl()`). */
export function createConsolePage(dir: URL): ConsolePage {
  const root = fileURLToPath(dir)

  async function index(): Promise<StaticAnswer | undefined> {
    const html = await readIfFile(join(root, 'index.html'))
    if (!html) return undefined
    const nonce = mintNonce()
    const meta = `<head><meta name="csp-nonce" nonce="${nonce}">`
    return {
      status: 200,
      headers: { ...pageHeaders(nonce), 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
      body: html.toString('utf8').replace('<head>', () => meta),
    }
  }

  return {
    async answer(path) {
      if (notThePage.test(path)) return undefined
      const type = mediaTypes[extname(path)]
      if (path === '/index.html' || isPlaceInThePage(path, type)) return index()
      if (type === undefined) return undefined
      const file = fileOf(root, path)
      const body = file === undefined ? undefined : await readIfFile(file)
      if (!body) return undefined
      // The build puts a hash of the content into every name under assets.
      const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
      const own = extname(path) === '.js' ? scriptHeaders : plainHeaders
      return { status: 200, headers: { ...own, 'Content-Type': type, 'Cache-Control': cache }, body }
    },
  }
}

/** Undefined for anything outside of the folder. */
function fileOf(root: string, path: string): string | undefined {
  let name: string
  try {
    name = decodeURIComponent(path)
  } catch {
    return undefined
  }
  if (name.includes('\0') || name.includes('\\')) return undefined
  const file = normalize(join(root, name))
  return file.startsWith(root.endsWith(sep) ? root : root + sep) ? file : undefined
}

async function readIfFile(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch {
    return undefined
  }
}
