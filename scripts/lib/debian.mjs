import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Debian packages by what they are for. `run` serves the product, `test` the suites. */
export const debianPackages = {
  run: ['udev', 'pocketsphinx', 'pocketsphinx-en-us', 'espeak-ng'],
  test: [
    'chromium',
    'fonts-dejavu-core',
    'fonts-noto-cjk',
    'flite',
    'opus-tools',
    'sox',
    'libnss3-tools',
    'libopus-dev',
  ],
}

function isDebian() {
  if (!existsSync('/etc/os-release')) return false
  return /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
}

function missing(names) {
  return names.filter((name) => {
    const result = spawnSync('dpkg-query', ['-W', '-f=${db:Status-Abbrev}', name], { encoding: 'utf8' })
    return result.status !== 0 || !result.stdout.startsWith('ii')
  })
}

/**
 * Installs what is missing as root on Debian, else says what to install. Returns the names that are still missing.
 * Nothing here is fatal: what needs a missing program says so itself.
 */
export function installDebianPackages(kinds) {
  const names = kinds.flatMap((kind) => debianPackages[kind])
  if (!isDebian()) {
    if (process.platform === 'linux') {
      console.error(
        `This is not Debian. Roost hears and speaks Chinese with the programs behind: ${debianPackages.run.join(' ')}`,
      )
    }
    return []
  }
  const wanted = missing(names)
  if (wanted.length === 0) return []
  const apt = ['install', '-y', '--no-install-recommends', ...wanted]
  if (process.getuid?.() !== 0) {
    console.error(`Not root, so these stay missing: ${wanted.join(' ')}`)
    console.error(`  sudo apt-get ${apt.join(' ')}`)
    return wanted
  }
  console.error(`Installing Debian packages: ${wanted.join(' ')} …`)
  const options = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  spawnSync('apt-get', ['update', '-qq'], options)
  spawnSync('apt-get', ['-qq', ...apt], options)
  const left = missing(names)
  if (left.length > 0) console.error(`Could not be installed: ${left.join(' ')}`)
  return left
}
