import { AppError } from '../base/app-error.ts'
import type { ImageInfo } from '../contract/flash.ts'
import { fatalProblem } from '../server/firmware/image.ts'
import { loadImage } from '../server/firmware/image-file.ts'
import type { Command } from './command.ts'
import { readOptions } from './options.ts'

const help = `Usage: roost image FILE [--json]

What an image is: kind, chip, flash size, partitions, version, hashes, and every problem found.
Exit code 1 when a problem would keep it from being flashed.
`

export const imageCommand: Command = {
  name: 'image',
  summary: 'what an image file is',
  help,
  async run(args, io) {
    const { values, positionals } = readOptions({
      args: [...args],
      options: { json: { type: 'boolean' } },
      allowPositionals: true,
    })
    const [path] = positionals
    if (path === undefined || positionals.length > 1) throw new AppError('server-bad-usage', 'One FILE is needed')
    const { info } = await loadImage(path)
    io.stdout(values.json ? `${JSON.stringify(info)}\n` : textOf(info))
    return fatalProblem(info) ? 1 : 0
  },
}

function textOf(info: ImageInfo): string {
  const rows: [string, string | number | null][] = [
    ['kind', info.kind],
    ['size', info.size],
    ['sha256', info.sha256],
    ['chip', info.chip],
    ['flash', info.flashSize === null ? null : `${String(info.flashSize / 0x100000)} MB ${info.flashMode ?? ''}`],
    ['project', info.project],
    ['version', info.version],
    ['ESP-IDF', info.idfVersion],
    ['built', info.built],
    ['ELF sha256', info.elfSha256],
  ]
  const facts = rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(12)}${String(value)}`]))
  const partitions = info.partitions.map(
    ({ label, type, subtype, offset, size }) =>
      `  ${label.padEnd(17)}${hex(type, 2)} ${hex(subtype, 2)}  ${hex(offset, 8)}  ${hex(size, 8)}`,
  )
  const problems = info.problems.map(({ code, message, fatal }) => `${fatal ? 'error' : 'note'}: ${message} (${code})`)
  const table = partitions.length > 0 ? ['partitions', ...partitions] : []
  return [...facts, ...table, ...problems, ''].join('\n')
}

function hex(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`
}
