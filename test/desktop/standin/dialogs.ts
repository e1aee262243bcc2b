import { imitate } from './imitated.ts'
import { life } from './record.ts'

export interface DialogRow {
  readonly kind: 'error' | 'message' | 'open'
  readonly options: unknown
  open: boolean
}

interface Waiting extends DialogRow {
  answer(value: unknown): void
}

export const dialogs: Waiting[] = []
const listeners: ((row: DialogRow) => void)[] = []

export const onDialog = (listener: (row: DialogRow) => void): void => void listeners.push(listener)

function show(row: Waiting): void {
  dialogs.push(row)
  const { kind, options, open } = row
  for (const listener of listeners) listener({ kind, options, open })
}

function ask(kind: DialogRow['kind'], options: unknown): Promise<unknown> {
  const answered = Promise.withResolvers<unknown>()
  const row: Waiting = {
    kind,
    options,
    open: true,
    answer(value) {
      row.open = false
      answered.resolve(value)
    },
  }
  show(row)
  return answered.promise
}

/** A dialog stays open until the test answers it. Like Electron, they may be called with a window in front. */
const withOptions = (args: readonly unknown[]) => args.at(-1)

export const dialog = imitate('Dialog', {
  showErrorBox(title: string, content: string) {
    show({ kind: 'error', options: { title, content }, open: false, answer: () => undefined })
  },
  showMessageBox: (...args: readonly unknown[]) => ask('message', withOptions(args)),
  showOpenDialog: (...args: readonly unknown[]) => ask('open', withOptions(args)),
})

/** Answers the oldest open dialog. */
export function answerDialog(value: unknown): void {
  const row = dialogs.find(({ open }) => open)
  if (!row) throw new Error('no dialog is open')
  row.answer(value)
}

export const shell = imitate('Shell', {
  openExternal: async (url: string) => {
    life.opened.push(url)
  },
})
