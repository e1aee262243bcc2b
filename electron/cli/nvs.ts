import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AppError } from '../base/app-error.ts'
import { readNvsCsv, readNvsJson, toNvsJson } from '../server/firmware/nvs-csv.ts'
import { writeNvs } from '../server/firmware/nvs-image.ts'
import { readNvs } from '../server/firmware/nvs-reader.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions } from './options.ts'

const help = `Usage: roost nvs make CSV|JSON OUT --size BYTES [--json]
       roost nvs read FILE [--json]

Makes and reads NVS partitions (version 2).
CSV: key,type,encoding,value as Espressif's generator reads it. JSON: {"entries":[{"namespace","key","type","value"}]}.
--size takes bytes, decimal or 0x….
`

export const nvsCommand: Command = {
  name: 'nvs',
  summary: 'make and read NVS partitions',
  help,
  async run(args, io) {
    const { values, positionals } = readOptions({
      args: [...args],
      options: { json: { type: 'boolean' }, size: { type: 'string' } },
      allowPositionals: true,
    })
    const [verb, input, output] = positionals
    if (verb === 'make' && input !== undefined && output !== undefined && positionals.length === 3) {
      await make({ input, output, size: sizeOf(values.size), json: values.json === true }, io)
      return 0
    }
    if (verb === 'read' && input !== undefined && positionals.length === 2) {
      await read(input, values.json === true, io)
      return 0
    }
    throw new AppError('server-bad-usage', 'Say "make CSV|JSON OUT --size BYTES" or "read FILE"')
  },
}

interface MakeOptions {
  readonly input: string
  readonly output: string
  readonly size: number
  readonly json: boolean
}

async function make({ input, output, size, json }: MakeOptions, io: CommandIo): Promise<void> {
  const text = (await fileBytes(input)).toString('utf8')
  const folder = dirname(input)
  const isJson = /^\s*[[{]/.test(text)
  const entries = isJson ? readNvsJson(text) : readNvsCsv(text, (path) => siblingBytes(resolve(folder, path)))
  const image = writeNvs(entries, size)
  // The file may hold a Wi-Fi password.
  await writeFile(output, image, { mode: 0o600 })
  const sha256 = createHash('sha256').update(image).digest('hex')
  const facts = { file: output, size: image.length, entries: entries.length, sha256 }
  io.stdout(
    json ? `${JSON.stringify(facts)}\n` : `${output}: ${String(entries.length)} entries, ${String(size)} bytes\n`,
  )
}

async function read(path: string, json: boolean, io: CommandIo): Promise<void> {
  const bytes = await fileBytes(path)
  const { entries, pages, problems } = readNvs(bytes)
  const rows = toNvsJson(entries)
  if (json) {
    io.stdout(`${JSON.stringify({ size: bytes.length, entries: rows, pages, problems })}\n`)
    return
  }
  const lines = rows.map(({ namespace, key, type, value }) => `${namespace}/${key}  ${type}  ${String(value)}`)
  io.stdout([...lines, ...problems.map((problem) => `problem: ${problem}`), ''].join('\n'))
}

const maxFile = 16 * 1024 * 1024

async function fileBytes(path: string): Promise<Buffer> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new AppError('image-unreadable', `${path} cannot be read`, { cause })
  })
  if (bytes.length > maxFile) throw new AppError('image-too-large', `${path} is larger than 16 MiB`)
  return bytes
}

function siblingBytes(path: string): Uint8Array {
  try {
    return Uint8Array.from(readFileSync(path))
  } catch (cause) {
    throw new AppError('image-unreadable', `${path} cannot be read`, { cause })
  }
}

function sizeOf(text: string | undefined): number {
  if (text !== undefined && /^(0x[0-9a-f]{1,8}|\d{1,9})$/i.test(text)) return Number(text)
  throw new AppError('server-bad-usage', '--size takes bytes, such as 16384 or 0x4000')
}
