import { AppError } from '../base/app-error.ts'
import { PreviewKind, ThingIdent, ThingModel, type ThingSummary } from '../contract/thing.ts'
import { actionCommand, onlyName, type Order, plain, readJson, versionTo, type Work } from './action-command.ts'
import { readText } from './read-all.ts'

const help = `Usage: roost things list
       roost things show NAME
       roost things export NAME [--as ${PreviewKind.options.join('|')}]
       roost things import NAME FILE
       roost things roll-back NAME --to N [--note TEXT]

The Things of a running server, from a shell.

list       all
show       versions, drafts and where they are bound, as JSON
export     the published model as JSON that import reads; --as gives the code or descriptor for a far end,
           and says on standard error what that cannot express
import     a model; "-" is standard input. It becomes a draft
roll-back  version N again, as a new version

  --json             one JSON document
  --data DIR         the running server of this data directory
  --server URL       or this server, with --token-file FILE or ROOST_TOKEN
`

type Given = 'as' | 'to' | 'note'
const isThing = (word: string) => ThingIdent.safeParse(word).success

export const thingsCommand = actionCommand<Given>({
  name: 'things',
  summary: 'list, show, export and import Things',
  help,
  options: ['as', 'to', 'note'],
  actions: {
    list: () => async (client) => {
      const rows = await client.things.list()
      return { text: rows.map(describe).join('') || 'No Things.\n', data: rows }
    },
    show: ({ words }) => {
      const name = onlyName(words, isThing)
      return async (client) => plain(await client.things.detail({ name }))
    },
    export: exporting,
    import: importing,
    'roll-back': ({ words, given: { to, note = '' } }) => {
      const order = { name: onlyName(words, isThing), to: versionTo(to), note }
      return async (client) => {
        const made = await client.things.rollBack(order)
        return { text: `Version ${made.version} of ${order.name} is what version ${order.to} was.\n`, data: made }
      }
    },
  },
})

function describe(thing: ThingSummary): string {
  const version = thing.published === null ? ' (draft)' : `@${thing.published}`
  const where = thing.bindings === 1 ? 'on 1 device' : `on ${thing.bindings} devices`
  return `${`${thing.name}${version}`.padEnd(36)} ${where.padEnd(14)} ${thing.title.en} · ${thing.title.zh}\n`
}

function exporting({ words, given: { as } }: Order<Given>): Work {
  const name = onlyName(words, isThing)
  const kind = as === undefined ? undefined : PreviewKind.safeParse(as)
  if (kind?.success === false) {
    throw new AppError('server-bad-usage', `--as takes ${PreviewKind.options.join(', ')}`)
  }
  return async (client) => {
    const model = (await client.things.detail({ name })).versions.at(-1)?.model
    if (!model) throw new AppError('thing-unknown', `${name} has no published version`)
    if (!kind) return plain(model)
    const preview = (await client.things.previews({ name, model })).find((one) => one.kind === kind.data)
    if (!preview) throw new AppError('server-internal', `No preview of kind ${kind.data}`)
    const [only] = preview.files
    const files = preview.files.map(({ name: file, text }) => `/* ${file} */\n${text}`)
    return {
      text: preview.files.length === 1 ? (only?.text ?? '') : files.join('\n'),
      data: preview,
      beside: preview.losses.map(({ path, code }) => `${path}: ${code}\n`).join(''),
    }
  }
}

async function importing({ words, io }: Order<Given>): Promise<Work> {
  const [name = '', file, ...more] = words
  if (file === undefined || more.length > 0) throw new AppError('server-bad-usage', 'NAME and FILE are needed')
  onlyName([name], isThing)
  const model = readModel(await readText(file, io.stdin, 1_000_000))
  return async (client) => {
    const draft = await client.things.openDraft({ name })
    const saved = await client.things.saveDraft({ id: draft.id, revision: draft.revision, model })
    return { text: `${name}: draft saved\n`, data: saved }
  }
}

function readModel(text: string): ThingModel {
  const read = ThingModel.safeParse(readJson(text, 'The file is'))
  if (read.success) return read.data
  const { path, message } = read.error.issues[0] ?? { path: [], message: 'it is empty' }
  throw new AppError('server-bad-usage', `The file holds no Thing: ${path.join('/')} ${message}`)
}
