import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface SphinxFiles {
  readonly sphinxbase: string
  readonly pocketsphinx: string
  readonly model: string
  readonly dictionary: string
}

const libraryRoots = ['/usr/lib', '/usr/local/lib', '/opt/homebrew/lib']
const modelRoots = ['/usr/share/pocketsphinx/model/en-us', '/usr/local/share/pocketsphinx/model/en-us']

/** Library folders and their one level of Debian multi-arch folders ("x86_64-linux-gnu"). */
function libraryFolders(roots: readonly string[]): string[] {
  return roots.flatMap((root) => {
    try {
      const inside = readdirSync(root, { withFileTypes: true })
      return [
        root,
        ...inside.filter((entry) => entry.name.endsWith('-linux-gnu')).map((entry) => join(root, entry.name)),
      ]
    } catch {
      // No such folder on this system: nothing is installed there.
      return []
    }
  })
}

/** Where Debian's packages put the recogniser and its English model; undefined when something is missing. */
export function findSphinxFiles(
  roots: { libraries?: readonly string[]; models?: readonly string[] } = {},
): SphinxFiles | undefined {
  const folder = libraryFolders(roots.libraries ?? libraryRoots).find(
    (path) => existsSync(join(path, 'libpocketsphinx.so.3')) && existsSync(join(path, 'libsphinxbase.so.3')),
  )
  const model = (roots.models ?? modelRoots).find(
    (path) => existsSync(join(path, 'en-us', 'mdef')) && existsSync(join(path, 'cmudict-en-us.dict')),
  )
  if (folder === undefined || model === undefined) return undefined
  return {
    sphinxbase: join(folder, 'libsphinxbase.so.3'),
    pocketsphinx: join(folder, 'libpocketsphinx.so.3'),
    model: join(model, 'en-us'),
    dictionary: join(model, 'cmudict-en-us.dict'),
  }
}
