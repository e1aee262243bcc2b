import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment, root } from './node24.mjs'

const inputs = [
  'electron',
  'renderer',
  'firmware',
  'package.json',
  'package-lock.json',
  'electron.vite.config.ts',
  'vite.renderer.config.ts',
]
const output = join(root, 'out', 'main', 'roost.js')

function newest(path) {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
}

/** Builds when an input is newer than the output, or when told to. */
export function build(node, { force = false } = {}) {
  const built =
    existsSync(output) && existsSync(join(root, 'out', 'renderer', 'index.html')) ? statSync(output).mtimeMs : 0
  if (!force && built > Math.max(...inputs.map((name) => newest(join(root, name))))) return true
  console.error('Building …')
  const result = spawnSync(
    node,
    [join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build', '--logLevel', 'warn'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: childEnvironment(node),
    },
  )
  return result.status === 0
}
