// npm run -s roost -- <command>: the program, built first when a source is newer.
import { join } from 'node:path'
import { build } from './lib/build.mjs'
import { childEnvironment, requireNode24, root } from './lib/node24.mjs'
import { installPackages } from './lib/packages.mjs'
import { runInForeground } from './lib/run-child.mjs'

installPackages()
const node = requireNode24()
if (!build(node)) process.exit(1)
runInForeground(node, [join(root, 'out', 'main', 'roost.js'), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
  env: childEnvironment(node),
})
