import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './node24.mjs'

const folder = join(root, 'node_modules', 'electron')
const failureMark = join(root, 'node_modules', '.cache', 'roost-electron-failed')
const day = 24 * 60 * 60 * 1000

/** The path of Electron's program, or undefined. Importing or running `electron` would start a download: look only. */
export function electronProgram() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH
  const name = join(folder, 'path.txt')
  if (override && existsSync(override))
    return join(override, process.platform === 'win32' ? 'electron.exe' : 'electron')
  if (!existsSync(name)) return undefined
  const program = join(folder, 'dist', readFileSync(name, 'utf8').trim())
  return existsSync(program) ? program : undefined
}

/** Fetches Electron once, having said so; a failure is remembered for a day so that a start stays quick. */
export function fetchElectron(node, { force = false } = {}) {
  const failedLately = existsSync(failureMark) && Date.now() - statSync(failureMark).mtimeMs < day
  if (failedLately && !force) return undefined
  console.error('Fetching Electron once (about 110 MB) for the desktop window …')
  const result = spawnSync(node, [join(folder, 'install.js')], { cwd: root, stdio: 'ignore', timeout: 120_000 })
  if (result.status === 0) return electronProgram()
  mkdirSync(join(failureMark, '..'), { recursive: true })
  writeFileSync(failureMark, '')
  return undefined
}

/** A display that a window can open on; a forwarded one over ssh counts as none. */
export function hasDisplay() {
  if (process.platform === 'win32' || process.platform === 'darwin') return true
  const { WAYLAND_DISPLAY: wayland, XDG_RUNTIME_DIR: runtime, DISPLAY: display, SSH_CONNECTION: ssh } = process.env
  if (wayland && runtime && existsSync(join(runtime, wayland))) return true
  const local = /^:(\d+)/.exec(display ?? '')
  return !ssh && local !== null && existsSync(`/tmp/.X11-unix/X${local[1]}`)
}
