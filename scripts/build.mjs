// npm run build: everything that runs. Nothing in Roost needs a compiler.
import { build } from './lib/build.mjs'
import { requireNode24 } from './lib/node24.mjs'
import { installPackages } from './lib/packages.mjs'

installPackages()
process.exit(build(requireNode24(), { force: true }) ? 0 : 1)
