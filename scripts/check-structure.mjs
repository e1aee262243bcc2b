// What no linter sees: names, sizes, Markdown, the lock file, and paths that belong to one machine.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { root } from './lib/node24.mjs'

const problems = []
const complain = (file, rule) => problems.push(`${file}: ${rule}`)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '')
const text = (file) => {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return ''
  }
}

const code = new Set(['.ts', '.vue', '.mjs', '.cjs', '.js', '.css', '.sh', '.c'])
const bannedNames =
  /^(index|utils?|helpers?|types|constants)\.|-(manager|service|handler|util|helper)\.|(^|\/)(common|shared|misc)\//
const allowedMarkdown = new Set([
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'firmware/README.md',
])

function checkNames(file) {
  const name = basename(file)
  if (file.startsWith('electron/') || file.startsWith('renderer/') || file.startsWith('test/')) {
    if (bannedNames.test(name) && name !== 'index.html')
      complain(file, 'a name that says nothing (CONTRIBUTING, names)')
    if (extname(file) === '.ts' && !/^[a-z0-9]+([-.][a-z0-9]+)*\.ts$/.test(name))
      complain(file, 'TypeScript files are kebab-case')
    if (extname(file) === '.vue' && !/^[A-Z][A-Za-z0-9]*\.vue$/.test(name)) complain(file, 'components are PascalCase')
    if (dirname(file).split('/').length > 5) complain(file, 'folders nest at most five deep')
  }
  if (extname(file) === '.md' && !allowedMarkdown.has(file) && !file.startsWith('resources/licenses/')) {
    complain(file, 'Markdown lives at the root (and firmware/README.md)')
  }
}

function checkSizes(file) {
  if (!code.has(extname(file))) return
  const lines = text(file).split('\n').length - 1
  if (lines > 400) complain(file, `${lines} lines; 400 is the limit: split by reason to change`)
  if (extname(file) !== '.vue') return
  const part = (tag) =>
    new RegExp(`<${tag}[^>]*>\\n([\\s\\S]*?)\\n</${tag}>`).exec(text(file))?.[1].split('\n').length ?? 0
  if (part('script') > 120) complain(file, `script of ${part('script')} lines; 120 is the limit`)
  if (part('template') > 160) complain(file, `template of ${part('template')} lines; 160 is the limit`)
}

function checkWords(file) {
  if (!code.has(extname(file)) && !['.md', '.json', '.yml'].includes(extname(file))) return
  const content = text(file)
  if (file !== 'scripts/check-structure.mjs' && /\b(TODO|FIXME|XXX|HACK)\b/.test(content))
    complain(file, 'unfinished work has no marks here')
  if (/(^|[^A-Za-z0-9_.])\/(work|root)\/[a-z]/m.test(content)) complain(file, 'a path of one machine')
  if (file === 'package-lock.json' && /"resolved": "http/.test(content))
    complain(file, 'the lock holds download addresses')
}

/** Every runtime dependency has a line with its reason (ARCHITECTURE, dependencies). */
function checkDependencies() {
  const manifest = JSON.parse(text('package.json'))
  const architecture = text('ARCHITECTURE.md')
  for (const name of Object.keys(manifest.dependencies)) {
    if (!architecture.includes(`\`${name}\``)) complain('ARCHITECTURE.md', `no line for the dependency ${name}`)
  }
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }
  for (const [name, version] of Object.entries(all)) {
    if (!/^\d+\.\d+\.\d+/.test(version)) complain('package.json', `${name} is not pinned: ${version}`)
  }
}

/** The folder table of ARCHITECTURE must name the folders that exist, and only those. */
function checkFolderTable() {
  const rows = [
    ...text('ARCHITECTURE.md').matchAll(
      /^\| `((?:electron|renderer|test|scripts|firmware|resources)[a-z0-9/-]*)` \|/gm,
    ),
  ].map((row) => row[1])
  const present = new Set(
    files.flatMap((file) => {
      const parts = dirname(file).split('/')
      if (parts[0] === 'electron')
        return [parts.slice(0, parts[1] === 'server' || parts[1] === 'virtual' ? 3 : 2).join('/')]
      return ['renderer', 'test'].includes(parts[0]) && parts.length > 1 ? [parts.slice(0, 2).join('/')] : []
    }),
  )
  for (const folder of present)
    if (!rows.includes(folder) && !['electron'].includes(folder))
      complain('ARCHITECTURE.md', `the folder table lacks ${folder}`)
  for (const row of rows)
    if (!files.some((file) => file.startsWith(`${row}/`)))
      complain('ARCHITECTURE.md', `the folder table names ${row}, which does not exist`)
}

for (const file of files) {
  checkNames(file)
  checkSizes(file)
  checkWords(file)
}
checkDependencies()
checkFolderTable()
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
