import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sourceTree } from './desktop-app.ts'

const run = promisify(execFile)

/** Marks the fuse wire in Electron's binary (electron/fuses, README). */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const wireVersion = 1
const fuseCount = 9

/**
 * A folder that electron-builder takes for an unpacked Electron: the right names, and a "program" that holds the fuse
 * wire only, every fuse in the state in which Electron ships it. No default_app.asar: an empty one is an error.
 */
export function makeFakeElectron(folder: string, version: string): void {
  mkdirSync(join(folder, 'resources'), { recursive: true })
  mkdirSync(join(folder, 'locales'))
  const states = Buffer.from('101100011')
  const wire = Buffer.concat([Buffer.from(sentinel), Buffer.from([wireVersion, fuseCount]), states])
  writeFileSync(join(folder, 'electron'), Buffer.concat([Buffer.alloc(64), wire, Buffer.alloc(64)]), { mode: 0o755 })
  writeFileSync(join(folder, 'version'), version)
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'chrome_crashpad_handler']) {
    writeFileSync(join(folder, name), name)
  }
  writeFileSync(join(folder, 'locales', 'en-US.pak'), 'en-US')
}

export interface Packed {
  readonly asar: string
  readonly unpacked: string
  readonly program: string
}

/** `electron-builder --dir` with the project's own configuration; nothing is fetched. Rejects with its output. */
export async function pack(electronDist: string, output: string): Promise<Packed> {
  const builder = createRequire(import.meta.url).resolve('electron-builder/cli.js')
  const own = [`-c.electronDist=${electronDist}`, `-c.directories.output=${output}`]
  const args = [builder, '--dir', '--linux', '--x64', '--publish', 'never', '--config', 'electron-builder.yml', ...own]
  await run(process.execPath, args, { cwd: sourceTree, maxBuffer: 16 * 1024 * 1024 })
  const folder = join(output, 'linux-unpacked')
  const asar = join(folder, 'resources', 'app.asar')
  return { asar, unpacked: `${asar}.unpacked`, program: join(folder, 'roost') }
}
