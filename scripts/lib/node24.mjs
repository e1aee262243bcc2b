import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

/** The Node 24 that everything runs under: this one, or the one that npm brings for this platform. */
export function node24() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const file = process.platform === 'win32' ? 'node.exe' : join('bin', 'node')
  const brought = join(root, 'node_modules', `node-${platformName()}-${process.arch}`, file)
  return existsSync(brought) ? brought : undefined
}

function platformName() {
  return process.platform === 'win32' ? 'win' : process.platform
}

export function requireNode24() {
  const node = node24()
  if (node) return node
  console.error(
    `Roost needs Node 24; this is ${process.version}, and no Node 24 package exists for ${process.platform}-${process.arch}.`,
  )
  console.error('Install Node 24 from https://nodejs.org and run the command again.')
  process.exit(1)
}

/** Programs of node_modules/.bin and our Node come first for every child. */
export function childEnvironment(node) {
  const bin = join(root, 'node_modules', '.bin')
  const separator = process.platform === 'win32' ? ';' : ':'
  return { ...process.env, PATH: [join(node, '..'), bin, process.env.PATH].join(separator) }
}
