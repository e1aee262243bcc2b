// npm run check: format, lint, types, dependency rules, dead code and structure.
import { runChecks } from './lib/steps.mjs'
import { requireNode24 } from './lib/node24.mjs'
import { installPackages } from './lib/packages.mjs'

installPackages()
const { failed } = await runChecks(requireNode24())
process.exit(failed === 0 ? 0 : 1)
