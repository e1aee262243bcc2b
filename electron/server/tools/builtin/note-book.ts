import { randomUUID } from 'node:crypto'
import { AppError } from '../../../base/app-error.ts'
import type { NoteList } from '../../../contract/helper-tools.ts'
import type { HelperStore } from '../../store/helper-store.ts'

const maxLists = 100
const maxItems = 500

/** Lists of notes, kept in memory and in the store alike. */
export interface NoteBook {
  lists(): readonly NoteList[]
  /** By its name, whatever its case, with or without the word "list" (清单, 列表), in either language. */
  find(name: string): NoteList | undefined
  /** Rejects helper-too-many. */
  put(list: NoteList): Promise<void>
  /** Makes the list when there is none. Rejects helper-too-many. */
  addItem(name: string, text: string, now: number): Promise<NoteList>
  /** Rejects helper-not-found. */
  remove(id: string): Promise<void>
}

type Store = Pick<HelperStore, 'noteLists' | 'putNoteList' | 'removeNoteList'>

export async function openNoteBook(store: Store): Promise<NoteBook> {
  const lists = new Map((await store.noteLists()).map((list) => [list.id, list]))
  const find = (name: string): NoteList | undefined => {
    const all = [...lists.values()]
    // Before one list had names in two languages a house could have both.
    return (
      all.find((list) => bareName(list.name) === bareName(name)) ??
      all.find((list) => meaning(list.name) === meaning(name))
    )
  }

  async function put(list: NoteList): Promise<void> {
    if (!lists.has(list.id) && lists.size >= maxLists)
      throw new AppError('helper-too-many', `There are ${maxLists} lists already`)
    lists.set(list.id, list)
    await store.putNoteList(list)
  }
  return {
    lists: () => [...lists.values()].sort((a, b) => a.name.localeCompare(b.name)),
    find,
    put,
    async addItem(name, text, now) {
      const list = find(name) ?? { id: randomUUID(), name: name.trim().slice(0, 80), items: [] }
      if (list.items.length >= maxItems) throw new AppError('helper-too-many', `"${list.name}" is full`)
      const item = { id: randomUUID(), text: text.slice(0, 500), done: false, at: now }
      const longer = { ...list, items: [...list.items, item] }
      await put(longer)
      return longer
    },
    async remove(id) {
      if (!lists.delete(id)) throw new AppError('helper-not-found', `There is no list ${id}`)
      await store.removeNoteList(id)
    },
  }
}

/** One list, whatever the language in which it is asked for. */
const sameLists: readonly { readonly names: readonly string[]; readonly en: string; readonly zh: string }[] = [
  { names: ['shopping', 'groceries', 'grocery', '购物', '买菜'], en: 'shopping', zh: '购物清单' },
  { names: ['to do', 'to-do', 'todo', 'to dos', 'todos', 'tasks', '待办', '待办事项'], en: 'to do', zh: '待办清单' },
  { names: ['notes', 'note', '笔记', '备忘', '便签', '备忘录'], en: 'notes', zh: '笔记' },
]
const sameAs = (name: string) => sameLists.find(({ names }) => names.includes(bareName(name)))
const meaning = (name: string): string => sameAs(name)?.en ?? bareName(name)

/** What a list is called in each language: its own name, unless everybody has such a list. */
export function listName(name: string): Readonly<Record<'en' | 'zh', string>> {
  const known = sameAs(name)
  const isEnglish = !/\p{Script=Han}/u.test(name)
  return { en: known && !isEnglish ? known.en : name, zh: known && isEnglish ? known.zh : name }
}

function bareName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^(?:my|the|our|我的)\s*/, '')
    .replace(/\s*(?:lists?|清单|列表|单子|单)$/, '')
    .trim()
}
