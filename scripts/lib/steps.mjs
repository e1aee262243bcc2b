import { spawn } from 'node:child_process'
import { childEnvironment, root } from './node24.mjs'

/** Runs one program; its output is shown as it comes unless `quiet`, then only when it fails. */
export function run(node, args, { quiet = false, env = {} } = {}) {
  return new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(node, args, {
      cwd: root,
      env: { ...childEnvironment(node), ...env },
      stdio: ['ignore', quiet ? 'pipe' : 2, quiet ? 'pipe' : 2],
    })
    let text = ''
    child.stdout?.on('data', (chunk) => (text += chunk))
    child.stderr?.on('data', (chunk) => (text += chunk))
    child.on('error', (error) => resolve({ ok: false, text: error.message, seconds: 0 }))
    child.on('close', (code) => resolve({ ok: code === 0, text, seconds: (performance.now() - started) / 1000 }))
  })
}

/** The steps of `npm run check`, in the order of how soon they fail. */
export const checkSteps = [
  { name: 'structure', args: ['scripts/check-structure.mjs'] },
  { name: 'licences', args: ['scripts/licenses.mjs', '--check'] },
  { name: 'format', args: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'] },
  { name: 'types: node', args: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.node.json'] },
  { name: 'types: main and preload', args: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.main.json'] },
  { name: 'types: console', args: ['node_modules/vue-tsc/bin/vue-tsc.js', '-p', 'tsconfig.web.json'] },
  { name: 'types: tests', args: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.test.json'] },
  {
    name: 'dependency rules',
    args: [
      'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
      'electron',
      'renderer',
      'test',
      'firmware',
      '--config',
      '.dependency-cruiser.cjs',
    ],
  },
  { name: 'dead code', args: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  { name: 'lint', args: ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0'] },
]

/** Two at a time: one a core. Returns { passed, failed } and prints a line a step. */
export async function runChecks(node) {
  const waiting = [...checkSteps]
  const tally = { passed: 0, failed: 0 }
  async function worker() {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const result = await run(node, step.args, { quiet: true })
      console.error(`${result.ok ? 'ok    ' : 'FAILED'} ${step.name} (${result.seconds.toFixed(1)} s)`)
      if (result.ok) tally.passed += 1
      else {
        tally.failed += 1
        console.error(result.text.trim())
      }
    }
  }
  await Promise.all([worker(), worker()])
  return tally
}
