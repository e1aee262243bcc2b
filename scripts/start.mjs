// npm start: install, build, run. The desktop window where there can be one, else the server with its address.
import { join } from 'node:path'
import { build } from './lib/build.mjs'
import { installDebianPackages } from './lib/debian.mjs'
import { electronProgram, fetchElectron, hasDisplay } from './lib/electron.mjs'
import { childEnvironment, requireNode24, root } from './lib/node24.mjs'
import { installPackages } from './lib/packages.mjs'
import { runInForeground } from './lib/run-child.mjs'

const own = new Set(['--headless', '--electron'])
const flags = process.argv.slice(2).filter((arg) => own.has(arg))
const args = process.argv.slice(2).filter((arg) => !own.has(arg))

installPackages()
const node = requireNode24()
installDebianPackages(['run'])
if (!build(node)) process.exit(1)

const wanted = !flags.includes('--headless') && hasDisplay() && process.getuid?.() !== 0
const program = wanted ? (electronProgram() ?? fetchElectron(node, { force: flags.includes('--electron') })) : undefined
const env = childEnvironment(node)
if (program) {
  runInForeground(program, [root, ...args], { cwd: root, env })
} else {
  if (wanted) console.error('Electron is not available (it could not be fetched). Starting the server instead.')
  runInForeground(node, [join(root, 'out', 'main', 'roost.js'), 'serve', '--announce', ...args], {
    cwd: process.cwd(),
    env,
  })
}
