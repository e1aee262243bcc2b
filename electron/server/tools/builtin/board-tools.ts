import { AppError } from '../../../base/app-error.ts'
import type { Announced } from '../../../contract/conversation.ts'
import { longestAnnouncement } from '../../../contract/helper-tools.ts'
import {
  asTold,
  type Board,
  type BuiltinCall,
  type BuiltinPorts,
  type BuiltinTool,
  describe,
  number,
  text,
  type Told,
} from './builtin-tool.ts'
import { sayList, type Spoken, told } from './spoken-forms.ts'

type Boards = Pick<BuiltinPorts, 'boards' | 'announce' | 'identify' | 'callTool' | 'isPresent'>

const board = {
  type: 'string',
  minLength: 1,
  maxLength: 60,
  description: 'Name of a board, part of several names, or "all"',
}
const everyone =
  /^(?:all|everyone|everybody|everywhere|all boards|every board|whole house|house|class|whole class|大家|所有人|全部|全体|所有板子|全家|全班|每个人)$/

/** Things that one board does to another: they are told apart by the names that people gave them. */
export function boardTools(ports: Boards): BuiltinTool[] {
  return [announceTo(ports), boardLevel(ports, 'volume'), boardLevel(ports, 'brightness'), identify(ports)]
}

/** The boards that a name means: one, a group by a part of the name, or all. */
function named(name: string, boards: readonly Board[]): readonly Board[] {
  const wanted = name
    .toLowerCase()
    .replace(/^(?:the|my) /, '')
    .replace(/ (?:board|speaker|room)$|的?(?:板子|音箱)$/, '')
    .trim()
  if (everyone.test(wanted)) return boards
  const exact = boards.filter((one) => one.name.toLowerCase() === wanted || one.id.toLowerCase() === wanted)
  return exact.length > 0 ? exact : boards.filter((one) => one.name.toLowerCase().includes(wanted))
}

/** Rejects helper-not-found. */
async function need(name: string, { boards }: Boards, { caller }: BuiltinCall): Promise<readonly Board[]> {
  const found = named(name, await boards(caller))
  if (found.length === 0) throw new AppError('helper-not-found', `No board is called ${name}`)
  return found
}

function announceTo(ports: Boards): BuiltinTool {
  return {
    ...describe({
      name: 'announce',
      description: 'Speaks a text on another board, on a group (part of their names) or on all boards.',
      takes: { text: { type: 'string', minLength: 1, maxLength: longestAnnouncement }, board },
      required: ['text'],
      gives: {
        reached: { type: 'array', items: { type: 'string' } },
        missed: { type: 'array', items: { type: 'object' }, description: 'Those that will not say it, and why' },
      },
      reply: asTold,
      en: [
        'announce [that] {text}',
        'tell (everyone | everybody) [that] {text}',
        'announce (in | on | to) {board} that {text}',
        '(broadcast | say to everyone | announce to everyone | tell all boards) [that] {text}',
        '(say | announce) {text} (on | in) all boards',
        'make announcement [that] {text}',
        'tell {board} board [that] {text}',
        'let (everyone | everybody | class | all) know [that] {text}',
        'tell (class | children | kids | whole class | whole house) [that] {text}',
      ],
      zh: [
        '(广播 | 通知 | 播报通知) [一条] {text}',
        '(告诉 | 通知) (大家 | 所有人 | 全家 | 全班 | 每个人) [说] {text}',
        '(在 | 向) {board} (广播 | 通知) {text}',
        '(告诉 | 通知) {board} 的 (板子 | 音箱) [说] {text}',
        '(对 | 跟) (大家 | 所有人) (说 | 讲) {text}',
        '在 (所有 | 全部 | 每个) (板子 | 音箱) [上 | 里] (说 | 广播 | 播 | 讲) {text}',
      ],
    }),
    async run(args, call) {
      const asked = { board: text(args, 'board') ?? 'all', text: text(args, 'text') ?? '' }
      const { board: where, text: said } = wholeName(asked, await ports.boards(call.caller))
      const boards = await need(where, ports, call)
      // The board that was spoken to answers anyway; "all" means all the others.
      const others = boards.length > 1 ? boards.filter(({ id }) => id !== call.deviceId) : boards
      const announced = { kind: 'announcement', by: await askerOf(call, ports) } as const
      const tries = others.map(({ id, name }) => ({ name, told: ports.announce(id, said, announced) }))
      const reached = tries.flatMap(({ name, told: how }) => (how === 'told' ? [name] : []))
      const missed = tries.flatMap(({ name, told: how }) => (how === 'told' ? [] : [{ name, reason: how }]))
      if (reached.length === 0) {
        const isBusy = missed.length > 0 && missed.every(({ reason }) => reason === 'busy')
        throw isBusy
          ? new AppError('helper-boards-busy', 'Too much waits on those boards already')
          : new AppError('helper-boards-away', 'No other board is connected')
      }
      return { reached, missed, ...told(sayReached(reached, missed)) }
    },
  }
}

/**
 * "Announce in bedroom right that it is late": nothing in the words says where the name ends, but a board is called so.
 * A name that a board has as it is stays.
 */
function wholeName(asked: { board: string; text: string }, boards: readonly Board[]): { board: string; text: string } {
  const names = boards.map(({ name }) => name.toLowerCase())
  const start = asked.board.toLowerCase()
  if (names.includes(start)) return asked
  const all = `${start} ${asked.text}`
  const longest = names
    .filter((name) => name.startsWith(`${start} `) && all.toLowerCase().startsWith(`${name} `))
    .sort((a, b) => b.length - a.length)[0]
  if (longest === undefined) return asked
  return { board: longest, text: all.slice(longest.length + 1).replace(/^that /i, '') }
}

/** Who is shown to have asked. */
async function askerOf({ caller, deviceId }: BuiltinCall, { boards }: Boards): Promise<Announced['by']> {
  if (caller.kind === 'client') return { kind: 'program', name: '' }
  if (caller.kind === 'clock') return { kind: 'clock', name: '' }
  if (caller.kind !== 'turn') return { kind: 'person', name: '' }
  return { kind: 'board', name: (await boards(caller)).find(({ id }) => id === deviceId)?.name ?? deviceId }
}

interface Missed {
  readonly name: string
  readonly reason: Exclude<Told, 'told'>
}

/** "Saying": it waits until the board is idle, so that nobody can say yet that it was heard. */
function sayReached(reached: readonly string[], missed: readonly Missed[]): Spoken {
  const names = sayList(reached, 4)
  const why = (['offline', 'busy'] as const).flatMap((reason) => {
    const those = missed.filter((one) => one.reason === reason).map(({ name }) => name)
    if (those.length === 0) return []
    const list = sayList(those, 3)
    const isMany = those.length > 1
    return reason === 'offline'
      ? [{ en: ` ${list.en} ${isMany ? 'are' : 'is'} offline.`, zh: `${list.zh}不在线。` }]
      : [{ en: ` ${list.en} ${isMany ? 'are' : 'is'} busy.`, zh: `${list.zh}正忙。` }]
  })
  return {
    en: `Okay, saying it on ${names.en} now.${why.map(({ en }) => en).join('')}`,
    zh: `好的，正在${names.zh}播报。${why.map(({ zh }) => zh).join('')}`,
  }
}

const levels = {
  volume: { en: 'volume', zh: '音量', tools: ['set_volume', 'self.audio_speaker.set_volume'], param: 'volume' },
  brightness: {
    en: 'brightness',
    zh: '亮度',
    tools: ['set_brightness', 'self.screen.set_brightness', 'set_lamp'],
    param: 'brightness',
  },
} as const

/** The board's own tool does it; here only its name is looked for. */
function boardLevel(ports: Boards, what: keyof typeof levels): BuiltinTool {
  const level = levels[what]
  return {
    ...describe({
      name: `board_${what}`,
      description: `Sets the ${what} of another board, by its own tool.`,
      takes: { board, level: { type: 'integer', minimum: 0, maximum: 100 } },
      required: ['board', 'level'],
      idempotent: true,
      timeoutMs: 15_000,
      reply: asTold,
      en: [
        `set ${level.en} of {board} [board] to {level} [percent]`,
        `(set | turn | change | put) {board} board ${level.en} to {level} [percent]`,
        `(turn | change) ${level.en} (of | on | in) {board} [board] to {level} [percent]`,
        `${level.en} (of | on) {board} [board] [to] {level} [percent]`,
        `(set | change) {board} board to {level} [percent] ${level.en}`,
        `make {board} [board] ${level.en} {level} [percent]`,
      ],
      zh: [
        `(把 | 将) {board} 的 ${level.zh} (调到 | 设为 | 调成 | 设成 | 设置为) {level}`,
        `{board} 的 ${level.zh} (调到 | 设为 | 调成 | 设成) {level}`,
        `(设置 | 调整) {board} 的 ${level.zh} (为 | 到) {level}`,
        `{board} (板子 | 音箱) ${level.zh} {level}`,
        `让 {board} 的 ${level.zh} (变成 | 变为) {level}`,
        `(把 | 将) {board} ${level.zh} (调到 | 设为 | 调成 | 设成) {level}`,
      ],
    }),
    async run(args, call) {
      const boards = await need(text(args, 'board') ?? '', ports, call)
      const value = number(args, 'level') ?? 0
      const done = await Promise.all(boards.map((one) => setLevel(one.id, { ...level, value }, { ports, call })))
      const names = sayList(
        boards.filter((_, at) => done[at]).map(({ name }) => name),
        4,
      )
      if (!done.includes(true)) throw new AppError('tool-failed', `No such board could set its ${what}`)
      return told({ en: `The ${what} of ${names.en} is ${value} percent.`, zh: `${names.zh}的${level.zh}是${value}。` })
    },
  }
}

async function setLevel(
  deviceId: string,
  level: { readonly tools: readonly string[]; readonly param: string; readonly value: number },
  { ports, call }: { ports: Boards; call: BuiltinCall },
): Promise<boolean> {
  for (const name of level.tools) {
    if (call.signal.aborted) return false
    const args =
      name === 'set_lamp' ? { on: level.value > 0, [level.param]: level.value } : { [level.param]: level.value }
    // In the name of whoever asked: what they may not call themselves, they may not call through here.
    const made = await ports.callTool({ deviceId, name, arguments: args, caller: call.caller })
    if (made.outcome === 'ok') return true
  }
  return false
}

function identify(ports: Boards): BuiltinTool {
  return {
    ...describe({
      name: 'identify_board',
      description: 'Makes a board show which one it is.',
      takes: { board },
      required: ['board'],
      idempotent: true,
      reply: asTold,
      en: [
        '(identify | find) {board} board',
        'which [one] is {board} board',
        '(where is | show me | flash | blink) {board} board',
        'make {board} board (blink | flash | show itself)',
        'identify [board] {board}',
        'which board is {board} [board]',
      ],
      zh: [
        '(识别 | 找找 | 找到) {board} [的] (板子 | 音箱)',
        '哪个是 {board} [的] [板子 | 音箱]',
        '{board} [的] (板子 | 音箱) (在哪 | 在哪里 | 是哪个)',
        '让 {board} [的] [板子 | 音箱] (闪 | 闪灯 | 亮灯)',
        '(指出 | 定位) {board} [的] [板子 | 音箱]',
        '让 {board} [的] (板子 | 音箱) (亮 | 闪) [一下]',
      ],
    }),
    async run(args, call) {
      const found = await need(text(args, 'board') ?? '', ports, call)
      const boards = found.filter(({ id }) => ports.isPresent(id))
      if (boards.length === 0) throw new AppError('iotta-no-session', 'That board is not connected')
      for (const { id } of boards) ports.identify(id)
      const names = sayList(
        boards.map(({ name }) => name),
        4,
      )
      return told({ en: `${names.en} shows itself.`, zh: `${names.zh}正在示意。` })
    },
  }
}
