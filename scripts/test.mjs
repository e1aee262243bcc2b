// npm test: installs what is missing, then everything CI runs. The last line is the true sum of all suites.
// npm run test:long: the sizes that do not fit in there.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './lib/build.mjs'
import { installDebianPackages } from './lib/debian.mjs'
import { requireNode24 } from './lib/node24.mjs'
import { installPackages } from './lib/packages.mjs'
import { run, runChecks } from './lib/steps.mjs'
import { playwrightTally, vitestTally } from './lib/tally.mjs'

const long = process.argv.includes('--long')
const started = performance.now()
installPackages()
const node = requireNode24()
installDebianPackages(['run', 'test'])

const reports = mkdtempSync(join(tmpdir(), 'roost-reports-'))
const sum = { passed: 0, failed: 0, skipped: 0 }
const skips = []

function add(title, tally) {
  sum.passed += tally.passed
  sum.failed += tally.failed
  sum.skipped += tally.skipped ?? 0
  skips.push(...(tally.skips ?? []))
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  console.error(
    `== ${title}: ${tally.passed} passed, ${tally.failed} failed, ${tally.skipped ?? 0} skipped (at ${minutes} min)`,
  )
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

async function vitest(project) {
  const file = join(reports, `${project}.json`)
  const result = await run(node, [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    project,
    '--reporter',
    'dot',
    '--reporter',
    'json',
    '--outputFile.json',
    file,
  ])
  add(`vitest ${project}`, vitestTally(readReport(file), result.ok))
}

async function playwright(project) {
  const word = project.split(' ', 1)[0]
  const file = join(reports, `${word}.json`)
  const args = ['--project', project, '--reporter', 'line,json', '--output', join('test-results', word)]
  const result = await run(node, ['node_modules/@playwright/test/cli.js', 'test', ...args], {
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file, CI: '1' },
  })
  add(project === 'console' ? 'browser' : project, playwrightTally(readReport(file), result.ok))
}

if (long) {
  if (build(node)) await vitest('long')
  else add('build', { passed: 0, failed: 1 })
} else {
  add('check', await runChecks(node))
  const built = build(node, { force: true })
  add('build', { passed: built ? 1 : 0, failed: built ? 0 : 1 })
  // The browser waits far more than it computes, and every suite keeps to files and ports of its own.
  const seen = built ? playwright('console') : undefined
  await vitest('unit')
  if (built) {
    await vitest('behavior')
    await playwright('desktop (stand-in)')
  }
  await seen
}

rmSync(reports, { recursive: true, force: true })
for (const skip of skips) console.error(`skipped: ${skip}`)
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
process.exit(sum.failed === 0 ? 0 : 1)
