import { AppError } from '../../../base/app-error.ts'
import type { NoteList } from '../../../contract/helper-tools.ts'
import { asTold, type BuiltinCall, type BuiltinPorts, type BuiltinTool, describe, text } from './builtin-tool.ts'
import { listName, type NoteBook } from './note-book.ts'
import { sayList, type Spoken, told } from './spoken-forms.ts'

const item = { type: 'string', minLength: 1, maxLength: 120 }
const list = { type: 'string', minLength: 1, maxLength: 40, description: 'Name of the list, e.g. "shopping"' }
const noteNames = { en: 'notes', zh: '笔记' } as const

/** Lists and notes; a note is an item of the list "notes". */
export function noteTools(book: NoteBook, ports: Pick<BuiltinPorts, 'wall'>): BuiltinTool[] {
  return [addItem(book, ports), readList(book), tickItem(book), clearList(book), takeNote(book, ports), readNotes(book)]
}

/** The list that is meant when none is said. */
const listOf = (args: Readonly<Record<string, unknown>>, { language }: Pick<BuiltinCall, 'language'>): string =>
  text(args, 'list') ?? (language === 'en' ? 'to do' : '待办')
const noList = (name: string) => new AppError('helper-no-list', `There is no list called ${name}`)

function addItem(book: NoteBook, { wall }: Pick<BuiltinPorts, 'wall'>): BuiltinTool {
  return {
    ...describe({
      name: 'list_add',
      description: 'Adds an item to a list; the list is made when there is none.',
      takes: { item, list },
      required: ['item'],
      gives: { count: { type: 'integer' } },
      reply: { en: 'Okay, {item} is on the list.', zh: '好的，{item}已加入清单。' },
      en: [
        'add {item} to {list} list',
        'put {item} on {list} list',
        '(write | note | append | include) {item} (on | to | in) {list} list',
        'add {item} to list [called | named] {list}',
        '{list} list add {item}',
        '(we need | i need | need) {item} on {list} list',
        'add {item} to to do',
        'to do {item}',
      ],
      zh: [
        '{list} (清单 | 列表 | 单子) [里 | 上] (加 | 加上 | 添加 | 加入 | 写上 | 放) {item}',
        '(把 | 将) {item} (加到 | 加入 | 添加到 | 放到 | 放进 | 写到 | 记到) {list} (清单 | 列表 | 单子) [里 | 上 | 中]',
        '(往 | 在 | 给 | 向) {list} (清单 | 列表 | 单子) [里 | 上 | 中] (加 | 加上 | 添加 | 加入 | 写上 | 放) {item}',
        '(加 | 添加) {item} (到 | 进) {list} (清单 | 列表 | 单子) [里 | 上]',
        '{item} (加到 | 加入 | 放进 | 写到) {list} (清单 | 列表 | 单子) [里 | 上]',
        '[在 | 往 | 给] 待办 [事项 | 清单 | 列表] [里 | 上 | 中] (加 | 加上 | 添加 | 加入 | 写上 | 放) [个 | 一个 | 一项] {item}',
        '(把 | 将) {item} (加到 | 加入 | 添加到 | 放到 | 放进 | 写到 | 记到) 待办 [事项 | 清单 | 列表] [里 | 上 | 中]',
        '{list} 单 [里 | 上] (加 | 加上 | 添加 | 加入 | 写上 | 放) {item}',
      ],
    }),
    async run(args, call) {
      const added = await book.addItem(listOf(args, call), text(args, 'item') ?? '', wall())
      return { count: added.items.length, ...told({ en: added.name, zh: added.name }) }
    },
  }
}

function sayItems(found: NoteList): Spoken {
  const open = found.items.filter(({ done }) => !done).map((entry) => entry.text)
  const name = listName(found.name)
  if (open.length === 0) return { en: `${name.en} is empty.`, zh: `${name.zh}是空的。` }
  const said = sayList(open)
  return { en: `On ${name.en}: ${said.en}.`, zh: `${name.zh}有：${said.zh}。` }
}

function readList(book: NoteBook): BuiltinTool {
  return {
    ...describe({
      name: 'list_read',
      description: 'What is on a list.',
      danger: 'read',
      takes: { list },

      gives: { items: { type: 'array', items: { type: 'string' } } },
      reply: asTold,
      en: [
        'what is on {list} list',
        '(read | show | tell me | check | read out) {list} list',
        'what (do i have | do we have | is there) on {list} list',
        'what does {list} list say',
        '{list} list please',
        '(how long is | what is in) {list} list',
        '(read | show | tell) me {list} list',
        '(what is on | show | read | what are) to dos',
        'what (do i | do we | is there) [have] to do',
      ],
      zh: [
        '{list} (清单 | 列表 | 单子) [里 | 上] [都] [有] (什么 | 哪些 | 啥)',
        '(念 | 读 | 看看 | 查看 | 打开 | 说说) {list} (清单 | 列表 | 单子)',
        '(看一看 | 告诉我) {list} (清单 | 列表 | 单子) [里 | 上] [有] [什么 | 哪些]',
        '{list} (清单 | 列表 | 单子) 的内容',
        '[我 | 我的] [的] 待办 [事项 | 清单 | 列表] [里 | 上] [都] (有什么 | 有哪些 | 是什么 | 有啥)',
        '(念 | 读 | 看看 | 查看) [我的] 待办 [事项 | 清单 | 列表]',
        '{list} (list | 单) [里 | 上] [都] 有 (什么 | 哪些 | 啥)',
      ],
    }),
    async run(args, call) {
      const name = listOf(args, call)
      const found = book.find(name)
      const items = found?.items.filter(({ done }) => !done).map((entry) => entry.text) ?? []
      if (!found) throw noList(name)
      return { items, ...told(sayItems(found)) }
    },
  }
}

function tickItem(book: NoteBook): BuiltinTool {
  return {
    ...describe({
      name: 'list_tick',
      description: 'Ticks an item of a list off.',
      takes: { item, list },
      required: ['item'],
      idempotent: true,
      gives: { found: { type: 'boolean' } },
      reply: asTold,
      en: [
        '(take | remove | delete | strike) {item} (off | from) {list} list',
        '(tick | check | cross) {item} off {list} list',
        '(tick | check | cross) off {item} (on | from) {list} list',
        'we have {item} from {list} list',
        'mark {item} [as] done on {list} list',
        '(i | we) (bought | got | have) {item} (from | on) {list} list',
      ],
      zh: [
        '(把 | 将) {item} 从 {list} (清单 | 列表 | 单子) [里 | 上 | 中] (删 | 删掉 | 去掉 | 划掉 | 删除 | 拿掉)',
        '从 {list} (清单 | 列表 | 单子) [里 | 上 | 中] (删 | 删掉 | 去掉 | 划掉 | 删除 | 拿掉) {item}',
        '{list} (清单 | 列表 | 单子) [里 | 上 | 的] {item} (买了 | 完成了 | 做完了 | 好了 | 不要了)',
        '(划掉 | 删掉 | 去掉) {list} (清单 | 列表 | 单子) [里 | 上] 的 {item}',
        '(把 | 将) {item} 从待办 [事项 | 清单 | 列表] [里 | 上 | 中] (删 | 删掉 | 去掉 | 划掉 | 删除 | 拿掉)',
        '待办 [事项 | 清单 | 列表] [里 | 上] [的] {item} (完成了 | 做完了 | 好了 | 不要了)',
        '{list} (清单 | 列表 | 单子) [里 | 上] [的] {item} (买好了 | 买到了)',
      ],
    }),
    async run(args, call) {
      const name = listOf(args, call)
      const wanted = (text(args, 'item') ?? '').toLowerCase()
      const found = book.find(name)
      if (!found) throw noList(name)
      const open = found.items.filter(({ done }) => !done)
      const hit =
        open.find((entry) => entry.text.toLowerCase() === wanted) ??
        open.find((entry) => entry.text.toLowerCase().includes(wanted))
      if (!hit) throw new AppError('helper-no-item', `"${wanted}" is not on the list ${found.name}`)
      await book.put({
        ...found,
        items: found.items.map((entry) => (entry === hit ? { ...entry, done: true } : entry)),
      })
      return { found: true, ...told({ en: `Okay, ${hit.text} is off the list.`, zh: `好的，${hit.text}已划掉。` }) }
    },
  }
}

function clearList(book: NoteBook): BuiltinTool {
  return {
    ...describe({
      name: 'list_clear',
      description: 'Ticks everything on a list off; which items were open is lost.',
      danger: 'destructive',
      takes: { list },

      idempotent: true,
      reply: asTold,
      en: [
        '(clear | empty) {list} list',
        '(delete | remove | wipe | erase) (everything | all) (from | on) {list} list',
        '(wipe | erase | reset) {list} list',
        '{list} list is done',
        'start {list} list over',
        '(delete | remove) {list} list',
        '(clear | empty) to dos',
      ],
      zh: [
        '(清空 | 清除 | 清掉 | 清理) {list} (清单 | 列表 | 单子)',
        '(把 | 将) {list} (清单 | 列表 | 单子) [都] (清空 | 清掉 | 清了)',
        '{list} (清单 | 列表 | 单子) (清空 | 都买了 | 都完成了 | 全部完成)',
        '(删除 | 删掉) {list} (清单 | 列表 | 单子) [里 | 上] (所有 | 全部) [内容 | 项目 | 东西]',
        '(清空 | 清除 | 清掉 | 清理) [我的] 待办 [事项 | 清单 | 列表]',
        '把 [我的] 待办 [事项 | 清单 | 列表] [都] (清空 | 清掉 | 清了 | 删了)',
        '(把 | 将) {list} (清单 | 列表 | 单子) [都 | 全] (删了 | 删掉 | 删除)',
      ],
    }),
    async run(args, call) {
      const name = listOf(args, call)
      const found = book.find(name)
      if (!found) throw noList(name)
      await book.put({ ...found, items: found.items.map((entry) => ({ ...entry, done: true })) })
      const shown = listName(found.name)
      return told({ en: `${shown.en} is empty now.`, zh: `${shown.zh}已清空。` })
    },
  }
}

function takeNote(book: NoteBook, { wall }: Pick<BuiltinPorts, 'wall'>): BuiltinTool {
  return {
    ...describe({
      name: 'take_note',
      description: 'Writes a note down.',
      takes: { text: { type: 'string', minLength: 1, maxLength: 160 } },
      required: ['text'],
      reply: { en: 'Okay, noted.', zh: '好的，记下了。' },
      en: [
        '(take | make | write | add) note [that | saying] {text}',
        '(note | write) down [that] {text}',
        'new note {text}',
        'jot down {text}',
        'note to self {text}',
        'make [a] note of {text}',
        'note {text}',
      ],
      zh: [
        '(记 | 写) [个 | 一个 | 一条] (笔记 | 便签 | 备忘) [说] {text}',
        '记下 [来] {text}',
        '记住 {text}',
        '(新建 | 添加 | 加) [个 | 一个 | 一条] (笔记 | 便签 | 备忘) {text}',
        '备忘 {text}',
        '(记 | 记下 | 记录 | 记得 | 记着) {text}',
        '(做 | 写) [个 | 一个 | 一条] (笔记 | 备忘 | 便签) [说] {text}',
        '(笔记 | 备忘) [里] (加 | 记 | 写) [一条 | 上] {text}',
      ],
    }),
    async run(args, { language }) {
      const name = noteNames[language]
      await book.addItem(name, text(args, 'text') ?? '', wall())
      return told({ en: name, zh: name })
    },
  }
}

function readNotes(book: NoteBook): BuiltinTool {
  return {
    ...describe({
      name: 'read_notes',
      description: 'The notes that were written down.',
      danger: 'read',
      gives: { items: { type: 'array', items: { type: 'string' } } },
      reply: asTold,
      en: [
        '(read | show) [me] [all] notes',
        'what notes (do i have | are there)',
        '(what are | tell me | list | read out) [all] notes',
        'what did i (note | write down | note down)',
        'do i have [any] notes',
        'what is (in | on) notes',
        '(read | tell | show) me notes',
      ],
      zh: [
        '(念 | 读 | 看看 | 查看 | 打开 | 列出) [所有 | 全部 | 我的] [的] (笔记 | 便签 | 备忘)',
        '(有什么 | 有哪些) (笔记 | 便签 | 备忘)',
        '我 [都] 记了 (什么 | 哪些 | 啥)',
        '我的 (笔记 | 便签 | 备忘) [有什么 | 有哪些]',
        '(笔记 | 便签 | 备忘) [里] (有什么 | 有哪些)',
        '(看 | 看看 | 告诉我) 我 [都] 记了 (什么 | 哪些 | 啥)',
        '(notes | 我的notes) [里] (有什么 | 有哪些)',
        '(笔记 | 便签 | 备忘) [里] (写了 | 记了) (什么 | 啥)',
      ],
    }),
    async run() {
      const found = book.find(noteNames.en)
      const items = found?.items.filter(({ done }) => !done).map((entry) => entry.text) ?? []
      return { items, ...told(found ? sayItems(found) : { en: 'There are no notes.', zh: '没有笔记。' }) }
    },
  }
}
