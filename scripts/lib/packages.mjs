import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './node24.mjs'

const stamp = join(root, 'node_modules', '.roost-installed')

function lockHash() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  return createHash('sha256').update(lock).update(`${process.platform}-${process.arch}`).digest('hex')
}

/** Far quicker than asking npm: the lock's hash is kept beside what was installed from it. */
export function packagesInstalled() {
  return (
    existsSync(join(root, 'node_modules', '.package-lock.json')) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === lockHash()
  )
}

export function installPackages() {
  if (packagesInstalled()) return
  console.error('Installing npm packages (once; about a minute) …')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const result = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) {
    console.error('The packages could not be installed. Check the network and run the command again.')
    process.exit(1)
  }
  writeFileSync(stamp, lockHash())
}
