// node scripts/licenses.mjs: lists the licences of everything that ships, from what is installed.
// With --check it only compares, so that a new dependency cannot slip in unlisted.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/node24.mjs'

const target = join(root, 'resources', 'licenses', 'third-party.txt')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** What the console's bundle holds, beside the dependencies of the server. */
const bundled = [
  'vue',
  'vue-router',
  'pinia',
  'vue-i18n',
  'reka-ui',
  'uplot',
  '@vueuse/core',
  '@tanstack/vue-virtual',
  'partysocket',
  'tailwindcss',
]

function find(name, from) {
  for (let folder = from; ; folder = join(folder, '..')) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === root || folder === '/') return undefined
  }
}

const packages = new Map()
function visit(name, from) {
  const folder = find(name, from)
  if (!folder) return
  const own = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const key = `${own.name}@${own.version}`
  if (packages.has(key)) return
  packages.set(key, { license: licenseOf(own), text: licenseText(folder) })
  for (const next of Object.keys(own.dependencies ?? {})) visit(next, folder)
}

function licenseOf(own) {
  if (typeof own.license === 'string') return own.license
  return own.license?.type ?? own.licenses?.map((row) => row.type).join(' OR ') ?? 'not stated'
}

function licenseText(folder) {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)([.-].*)?$/i.test(name))
  return file ? readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim() : ''
}

for (const name of [...Object.keys(manifest.dependencies), ...bundled]) visit(name, root)
const sorted = [...packages].sort(([a], [b]) => (a < b ? -1 : 1))
const forbidden = sorted.filter(([, { license }]) => /GPL/.test(license) && !/OR|LGPL/.test(license))
if (forbidden.length > 0) {
  console.error(`GPL code may not be linked in: ${forbidden.map(([name]) => name).join(' ')}`)
  process.exit(1)
}

const texts = new Map()
for (const [name, { license, text }] of sorted) {
  if (text === '') continue
  const row = texts.get(text) ?? { license, names: [] }
  row.names.push(name)
  texts.set(text, row)
}
const list = sorted.map(([name, { license }]) => `${name}  ${license}`).join('\n')
const bodies = [...texts].map(
  ([text, { license, names }]) => `${'='.repeat(72)}\n${names.join('\n')}\n(${license})\n\n${text}\n`,
)
const head =
  'Software that ships with Roost, with its licences. libopus and the Silero voice model have files of their own.\n'
const whole = `${head}\n${list}\n\n${bodies.join('\n')}`

if (process.argv.includes('--check')) {
  const known = existsSync(target) ? readFileSync(target, 'utf8') : ''
  if (!known.includes(`\n${list}\n`)) {
    console.error('resources/licenses/third-party.txt is out of date: run "node scripts/licenses.mjs"')
    process.exit(1)
  }
} else {
  writeFileSync(target, whole)
  console.log(`${sorted.length} packages`)
}
