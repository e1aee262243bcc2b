// npm run setup: installs what is missing, changes nothing else. Idempotent.
import { installDebianPackages } from './lib/debian.mjs'
import { requireNode24 } from './lib/node24.mjs'
import { installPackages } from './lib/packages.mjs'

installPackages()
requireNode24()
installDebianPackages(process.argv.includes('--run-only') ? ['run'] : ['run', 'test'])
